import type { Dashboard } from "@spanward/client";
import type { ReactNode } from "react";
import { useMe } from "../../lib/me.ts";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { Field, Input, TextArea } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { REFRESHES } from "./search.ts";

const TEXTS = dashboardTexts.form;

export type Settings = Pick<
	Dashboard,
	"name" | "description" | "visibility" | "range" | "time_zone" | "refresh_seconds" | "filter" | "controls"
>;

/** Everything about a dashboard but its widgets. */
export function SettingsFields({
	settings,
	onChange,
}: {
	settings: Settings;
	onChange: (settings: Settings) => void;
}): ReactNode {
	const put = (change: Partial<Settings>) => onChange({ ...settings, ...change });
	const me = useMe();
	const { name, description, visibility, range, time_zone, refresh_seconds, filter, controls } = settings;
	return (
		<>
			<Field label={TEXTS.name}>
				<Input required maxLength={200} value={name} onChange={(event) => put({ name: event.target.value })} />
			</Field>
			<Field label={TEXTS.description}>
				<TextArea
					rows={2}
					value={description ?? ""}
					onChange={(event) => put({ description: event.target.value || null })}
				/>
			</Field>
			{me !== undefined && (
				<Field label={TEXTS.visibility}>
					<Select
						value={visibility}
						onChange={(next) => put({ visibility: next })}
						choices={[
							{ value: "shared", label: TEXTS.everybody },
							{ value: "private", label: TEXTS.onlyMe },
						]}
					/>
				</Field>
			)}
			<div className="grid grid-cols-2 gap-3">
				<Field label={TEXTS.range} hint={TEXTS.rangeHint}>
					<Input required value={range} onChange={(event) => put({ range: event.target.value })} />
				</Field>
				<Field label={TEXTS.zone} hint={TEXTS.zoneHint}>
					<Input value={time_zone ?? ""} onChange={(event) => put({ time_zone: event.target.value || null })} />
				</Field>
			</div>
			<Field label={TEXTS.refresh}>
				<Select
					value={refresh_seconds === null ? "off" : `${refresh_seconds}`}
					onChange={(next) => put({ refresh_seconds: REFRESHES.find((seconds) => `${seconds}` === next) ?? null })}
					choices={[
						{ value: "off", label: dashboardTexts.controls.off },
						...REFRESHES.map((seconds) => ({ value: `${seconds}`, label: dashboardTexts.controls.every[seconds] })),
					]}
				/>
			</Field>
			<Field label={TEXTS.filter} hint={TEXTS.filterHint}>
				<Input value={filter ?? ""} onChange={(event) => put({ filter: event.target.value || null })} />
			</Field>
			<Field label={TEXTS.controls} hint={TEXTS.controlsHint}>
				<Input
					defaultValue={controls.join(", ")}
					onChange={(event) => put({ controls: fieldsOf(event.target.value) })}
				/>
			</Field>
		</>
	);
}

function fieldsOf(text: string): string[] {
	return [...new Set(text.split(",").map((field) => field.trim()))].filter((field) => field !== "");
}
