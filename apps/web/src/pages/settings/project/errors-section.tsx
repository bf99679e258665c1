import type { ErrorSettings, Project } from "@spanward/client";
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { useCan } from "../../../lib/me.ts";
import { texts } from "../../../texts/en.ts";
import { errorsTexts } from "../../../texts/errors-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input, TextArea } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { SettingsPart } from "./settings-part.tsx";

const TEXTS = errorsTexts.settings;
const KINDS = ["provider_error", "tool_failure", "exception", "refusal", "error"] as const;
type Kind = (typeof KINDS)[number];
type Values = Pick<ErrorSettings, "release_key" | "own_code" | "kinds">;

/** How the failures of the project are grouped. */
export function ErrorsSection({ project }: { project: Project }): ReactNode {
	const can = useCan();
	const queries = useQueryClient();
	const path = { project_identifier: project.id };
	const queryKey = ["error-settings", project.id];
	const query = useQuery({
		queryKey,
		queryFn: async ({ signal }) =>
			(await api.get("/v1/projects/{project_identifier}/error_settings", { path, signal })).data,
	});
	// Here, as what was saved makes the form anew.
	const save = useMutation({
		mutationFn: (body: Values) => api.put("/v1/projects/{project_identifier}/error_settings", { path, body }),
		onSuccess: () => queries.invalidateQueries({ queryKey }),
	});
	return (
		<SettingsPart title={TEXTS.title} text={TEXTS.text}>
			<Loaded data={query.data} query={query}>
				{(settings) =>
					can("admin") ? (
						<SettingsForm key={settings.updated_at} settings={settings} save={save} />
					) : (
						<ReadOnly settings={settings} />
					)
				}
			</Loaded>
		</SettingsPart>
	);
}

function ReadOnly({ settings }: { settings: ErrorSettings }): ReactNode {
	const { release_key: key, own_code: paths, kinds } = settings;
	return (
		<>
			<dl className="grid grid-cols-[12rem_1fr] gap-y-1">
				<dt className="text-muted">{TEXTS.releaseKey}</dt>
				<dd>{key ?? TEXTS.usual}</dd>
				<dt className="text-muted">{TEXTS.ownCode}</dt>
				<dd className="[overflow-wrap:anywhere]">{paths.length === 0 ? TEXTS.none : paths.join(", ")}</dd>
				<dt className="text-muted">{TEXTS.kinds}</dt>
				<dd>{kinds === null ? TEXTS.all : kinds.map((kind) => errorsTexts.kind[kind]).join(", ")}</dd>
			</dl>
			<p className="text-muted">{TEXTS.readOnly}</p>
		</>
	);
}

interface SettingsFormProps {
	settings: ErrorSettings;
	save: UseMutationResult<unknown, Error, Values>;
}

function SettingsForm({ settings, save }: SettingsFormProps): ReactNode {
	const [releaseKey, setReleaseKey] = useState(settings.release_key ?? "");
	const [ownCode, setOwnCode] = useState(settings.own_code.join("\n"));
	const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set(settings.kinds ?? KINDS));
	const toggle = (kind: Kind) =>
		setKinds((before) => {
			const next = new Set(before);
			if (!next.delete(kind)) next.add(kind);
			return next;
		});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (kinds.size === 0) return;
		save.mutate({
			release_key: releaseKey.trim() === "" ? null : releaseKey.trim(),
			own_code: ownCode.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])),
			kinds: kinds.size === KINDS.length ? null : [...kinds],
		});
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-3">
			<Field label={TEXTS.releaseKey} hint={TEXTS.releaseKeyHint}>
				<Input value={releaseKey} maxLength={1_000} onChange={(event) => setReleaseKey(event.target.value)} />
			</Field>
			<Field label={TEXTS.ownCode} hint={TEXTS.ownCodeHint}>
				<TextArea rows={3} value={ownCode} onChange={(event) => setOwnCode(event.target.value)} />
			</Field>
			<fieldset className="flex flex-wrap gap-x-4 gap-y-1">
				<legend className="text-muted text-sm">{TEXTS.kinds}</legend>
				{KINDS.map((kind) => (
					<label key={kind} className="flex items-center gap-1.5">
						<input type="checkbox" checked={kinds.has(kind)} onChange={() => toggle(kind)} />
						{errorsTexts.kind[kind]}
					</label>
				))}
			</fieldset>
			{kinds.size === 0 && (
				<p role="alert" className="text-danger text-sm">
					{TEXTS.noKind}
				</p>
			)}
			<FormError error={save.error} />
			<div className="flex items-center gap-3">
				<Button type="submit" disabled={save.isPending || kinds.size === 0}>
					{texts.action.save}
				</Button>
				<span role="status" className="text-muted">
					{save.isSuccess && texts.state.saved}
				</span>
			</div>
		</form>
	);
}
