import type { Dashboard } from "@spanward/client";
import type { ReactNode, RefObject } from "react";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { nextListSearch } from "../../filtering/list-search.ts";
import { present } from "../../lib/search-params.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { Labelled } from "../../ui/labelled.tsx";
import { Select } from "../../ui/select.tsx";
import { ControlMenu } from "./control-menu.tsx";
import { chosenOf, withChosen } from "./narrowing.ts";
import { type DashboardSearch, REFRESHES } from "./search.ts";

const TEXTS = dashboardTexts.controls;
const ZONES = Intl.supportedValuesOf("timeZone");

export type Search = DashboardSearch & TimeRangeSearch;
export type Change = (next: (before: Search) => Search, replace?: boolean) => void;

/** What narrows all widgets, and when and how they are shown; all of it is in the address. */
export function Controls({
	dashboard,
	project,
	search,
	change,
	searchRef,
}: {
	dashboard: Pick<Dashboard, "controls" | "filter" | "range" | "time_zone" | "refresh_seconds">;
	project: string | undefined;
	search: Search;
	change: Change;
	searchRef: RefObject<HTMLInputElement | null>;
}): ReactNode {
	const { filter, q } = search;
	const isOwn = filter !== undefined || q !== undefined;
	const shown = isOwn ? present({ filter, q }) : present({ filter: dashboard.filter ?? undefined });
	const refresh =
		search.refresh ?? (dashboard.refresh_seconds === null ? "off" : (`${dashboard.refresh_seconds}` as const));
	const zone = search.zone ?? dashboard.time_zone ?? "browser";
	return (
		<div className="flex flex-wrap items-center gap-2">
			<FilterBar
				target="span"
				label={TEXTS.filter}
				search={shown}
				onSearch={(typed, isSameStep) =>
					change(({ filter: _filter, q: _q, ...rest }) => {
						const next = nextListSearch(shown, typed);
						return { ...rest, ...present({ filter: next.filter, q: next.q }) };
					}, isSameStep)
				}
				error={null}
				inputRef={searchRef}
			/>
			{dashboard.controls.map((field) => (
				<ControlMenu
					key={field}
					{...{ project, field }}
					range={search.from !== undefined && /^\w+$/.test(search.from) ? search.from : dashboard.range}
					chosen={chosenOf(search, field)}
					onChoose={(chosen) => change((before) => withChosen(before, field, chosen))}
				/>
			))}
			<Labelled label={TEXTS.zone}>
				<Select
					className="max-w-40"
					value={zone}
					onChange={(next) => change((before) => ({ ...before, zone: next }))}
					choices={[
						{ value: "browser", label: TEXTS.ownZone },
						...[...new Set(["UTC", zone, ...ZONES])]
							.filter((each) => each !== "browser")
							.map((each) => ({ value: each, label: each })),
					]}
				/>
			</Labelled>
			<Labelled label={TEXTS.refresh}>
				<Select
					value={refresh}
					onChange={(next) => change((before) => ({ ...before, refresh: next }))}
					choices={[
						{ value: "off" as const, label: TEXTS.off },
						...REFRESHES.map((seconds) => ({ value: `${seconds}` as const, label: TEXTS.every[seconds] })),
					]}
				/>
			</Labelled>
		</div>
	);
}
