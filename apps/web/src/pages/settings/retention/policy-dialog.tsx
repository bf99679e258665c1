import type { RetentionPolicy } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { fieldErrors } from "../../../lib/field-errors.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { cronWords } from "./cron-words.ts";

const TEXTS = dataSettingsTexts.retention;
const DEFAULT_CRON = "0 3 * * *";

type FieldName = "name" | "max_days" | "max_traces" | "cron";

interface Draft {
	readonly name: string;
	readonly maxDays: string;
	readonly maxTraces: string;
	readonly keepAnnotated: boolean;
	readonly cron: string;
}

function draftOf(policy: RetentionPolicy | undefined): Draft {
	return {
		name: policy?.name ?? "",
		maxDays: policy ? String(policy.max_days ?? "") : "30",
		maxTraces: String(policy?.max_traces ?? ""),
		keepAnnotated: policy?.keep_annotated ?? true,
		cron: policy?.cron ?? DEFAULT_CRON,
	};
}

function toNumber(text: string): number | null {
	return text.trim() === "" ? null : Number(text);
}

function findProblems(draft: Draft): Partial<Record<FieldName, string>> {
	const [days, count] = [toNumber(draft.maxDays), toNumber(draft.maxTraces)];
	return {
		...(draft.name.trim() === "" ? { name: TEXTS.nameMissing } : {}),
		...(days !== null && !(days > 0) ? { max_days: TEXTS.badDays } : {}),
		...(count !== null && !(Number.isInteger(count) && count > 0) ? { max_traces: TEXTS.badCount } : {}),
		...(draft.cron.trim().split(/\s+/).length === 5 ? {} : { cron: TEXTS.cronBad }),
	};
}

/** Creates a retention policy, or changes the given one. */
export function PolicyDialog({ policy, onClose }: { policy?: RetentionPolicy; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const [draft, setDraft] = useState(() => draftOf(policy));
	const [found, setFound] = useState<Partial<Record<FieldName, string>>>({});
	const save = useMutation({
		mutationFn: async () => {
			const body = {
				name: draft.name.trim(),
				cron: draft.cron.trim(),
				max_days: toNumber(draft.maxDays),
				max_traces: toNumber(draft.maxTraces),
				keep_annotated: draft.keepAnnotated,
			};
			return policy
				? await api.patch("/v1/retention_policies/{policy_id}", { path: { policy_id: policy.id }, body })
				: await api.post("/v1/retention_policies", { body });
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["retention"] });
			onClose();
		},
	});
	const answer = fieldErrors(save.error, { name: [], max_days: [], max_traces: [], cron: [] });
	const problems = { ...answer.at, ...found };
	const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const problem = findProblems(draft);
		setFound(problem);
		if (Object.keys(problem).length === 0) save.mutate();
	};
	const hasLimit = draft.maxDays.trim() !== "" || draft.maxTraces.trim() !== "";
	return (
		<FormDialog
			title={policy ? TEXTS.editTitle(policy.name) : TEXTS.create}
			action={policy ? texts.action.save : texts.action.create}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} error={problems.name}>
				<Input
					value={draft.name}
					maxLength={1000}
					aria-invalid={problems.name !== undefined}
					onChange={(event) => change({ name: event.target.value })}
				/>
			</Field>
			<div className="grid gap-3 sm:grid-cols-2">
				<Field label={TEXTS.maxDays} hint={TEXTS.maxDaysHint} error={problems.max_days}>
					<Input
						value={draft.maxDays}
						inputMode="decimal"
						aria-invalid={problems.max_days !== undefined}
						onChange={(event) => change({ maxDays: event.target.value })}
					/>
				</Field>
				<Field label={TEXTS.maxTraces} hint={TEXTS.maxTracesHint} error={problems.max_traces}>
					<Input
						value={draft.maxTraces}
						inputMode="numeric"
						aria-invalid={problems.max_traces !== undefined}
						onChange={(event) => change({ maxTraces: event.target.value })}
					/>
				</Field>
			</div>
			{!hasLimit && <p className="text-muted text-sm">{TEXTS.oneLimit}</p>}
			<label className="flex cursor-pointer items-start gap-2">
				<input
					type="checkbox"
					className="mt-1"
					checked={draft.keepAnnotated}
					onChange={(event) => change({ keepAnnotated: event.target.checked })}
				/>
				<span>
					{TEXTS.keepAnnotated}
					<span className="block text-muted text-sm">{TEXTS.keepAnnotatedHint}</span>
				</span>
			</label>
			<Field label={TEXTS.cron} hint={TEXTS.cronWords(cronWords(draft.cron))} error={problems.cron}>
				<Input
					value={draft.cron}
					maxLength={100}
					className="font-mono"
					aria-invalid={problems.cron !== undefined}
					onChange={(event) => change({ cron: event.target.value })}
				/>
			</Field>
		</FormDialog>
	);
}
