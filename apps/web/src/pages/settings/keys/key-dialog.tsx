import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type KeyKind, rotateKey } from "../../../lib/api-keys.ts";
import { formatInteger } from "../../../lib/format.ts";
import { texts } from "../../../texts/en.ts";
import { homesTexts } from "../../../texts/homes-en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field } from "../../../ui/input.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Select } from "../../../ui/select.tsx";
import { ChangeKeyForm } from "./change-key-form.tsx";
import { KeyAbilities } from "./key-abilities.tsx";
import type { ListedKey } from "./key-columns.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

const TEXTS = settingsTexts.keys;
const OVERLAPS = ["0", "3600", "86400", "604800", "2592000"] as const;

/** What a key can do and how it was used; whoever may make such a key changes it, or puts a new one in its place. */
export function KeyDialog({
	kind,
	listed: opened,
	mayChange,
	onClose,
}: {
	kind: KeyKind;
	listed: ListedKey;
	mayChange: boolean;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [listed, setListed] = useState(opened);
	const [mode, setMode] = useState<"shown" | "changing" | "changed">("shown");
	const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>("86400");
	const rotate = useMutation({
		mutationFn: () => rotateKey(kind, listed.id, Number(overlap)),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["api-keys"] }),
		// The key must not be cached after the dialog is closed.
		gcTime: 0,
	});
	if (rotate.data) return <NewKeyDialog created={rotate.data} kind={kind} onClose={onClose} />;
	if (mode === "changing") {
		return (
			<Dialog open onOpenChange={onClose} title={TEXTS.changeTitle(listed.name)}>
				<ChangeKeyForm
					kind={kind}
					listed={listed}
					onChanged={(changed) => {
						setListed(changed);
						setMode("changed");
					}}
					onCancel={() => setMode("shown")}
				/>
			</Dialog>
		);
	}
	return (
		<Dialog open onOpenChange={onClose} title={listed.name} className="w-[min(44rem,calc(100vw-1rem))]">
			<div className="flex flex-col gap-4 overflow-auto p-4">
				{mode === "changed" && <p role="status">{TEXTS.changed}</p>}
				<KeyAbilities listed={listed} kind={kind} ownerRole={listed.user?.role} />
				<KeyFacts listed={listed} />
				{mayChange ? (
					<Button className="self-start" onClick={() => setMode("changing")}>
						{TEXTS.change}
					</Button>
				) : (
					<p className="text-muted">{TEXTS.ofAnother}</p>
				)}
				{mayChange && listed.replaced_by === null && (
					<section aria-label={TEXTS.rotate} className="flex flex-col gap-2 border-line border-t pt-3">
						<h3 className="font-semibold">{TEXTS.rotate}</h3>
						<p className="text-muted">{TEXTS.rotateText}</p>
						<Field label={TEXTS.overlap}>
							<Select
								value={overlap}
								onChange={setOverlap}
								choices={OVERLAPS.map((value) => ({ value, label: TEXTS.overlaps[value] }))}
							/>
						</Field>
						<FormError error={rotate.error} />
						<Button className="self-start" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
							{TEXTS.rotate}
						</Button>
					</section>
				)}
				<Button className="self-end" onClick={onClose}>
					{texts.action.close}
				</Button>
			</div>
		</Dialog>
	);
}

function KeyFacts({ listed }: { listed: ListedKey }): ReactNode {
	const { limits, spans_today, last_used_at, last_used_ip, last_refused_at, last_refused_code } = listed;
	const facts: readonly (readonly [label: string, value: ReactNode])[] = [
		[
			TEXTS.column.hint,
			<code key="hint" className="font-mono text-sm">
				{listed.hint}
			</code>,
		],
		[TEXTS.projects, listed.projects === null ? undefined : homesOf(listed)],
		[TEXTS.ranges, listed.ip_ranges?.join(", ")],
		[TEXTS.origins, listed.allowed_origins?.join(", ")],
		[TEXTS.requests, limits.requests_per_minute === null ? undefined : formatInteger(limits.requests_per_minute)],
		[
			TEXTS.spans,
			limits.spans_per_day === null
				? undefined
				: TEXTS.today(formatInteger(spans_today ?? 0), formatInteger(limits.spans_per_day)),
		],
		[
			TEXTS.column.used,
			last_used_at ? (
				<span key="used">
					<RelativeTime time={last_used_at} /> {last_used_ip && TEXTS.lastUsedFrom(last_used_ip)}
				</span>
			) : (
				settingsTexts.never
			),
		],
		[
			TEXTS.lastRefused,
			last_refused_at ? (
				<span key="refused">
					<RelativeTime time={last_refused_at} /> (<code className="font-mono text-sm">{last_refused_code}</code>)
				</span>
			) : undefined,
		],
	];
	return (
		<dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
			{facts.map(
				([label, value]) =>
					value !== undefined && (
						<div key={label} className="contents">
							<dt className="text-muted">{label}</dt>
							<dd className="[overflow-wrap:anywhere]">{value}</dd>
						</div>
					),
			)}
		</dl>
	);
}

function homesOf({ projects, hidden_project_count: hidden, include_library }: ListedKey): string {
	return [
		...(projects?.map(({ name }) => name) ?? []),
		...(hidden === 0 ? [] : [TEXTS.hiddenProjects(hidden)]),
		...(include_library ? [homesTexts.library] : []),
	].join(", ");
}
