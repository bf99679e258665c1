import { ApiError, type ReviewQueue, type ReviewRule, type ReviewRulePreview } from "@spanward/client";
import type { FilterTarget } from "@spanward/filter-language";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { refusalOf } from "../../filtering/refusal.ts";
import { api } from "../../lib/api.ts";
import { projectPages } from "../../lib/projects.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Select } from "../../ui/select.tsx";
import { type RuleDraft, toRuleBody, toRuleDraft, type WrongInRule, wrongInRule } from "./rule-draft.ts";

const TEXTS = reviewTexts.rule;

interface RuleFormProps {
	readonly queue: ReviewQueue;
	/** What the filter is about. */
	readonly target: FilterTarget;
	readonly rule: ReviewRule | null;
	readonly etag: string | undefined;
	readonly onSaved: () => Promise<void>;
	/** Shows the rule as it is now, when somebody else was faster. */
	readonly onReload: () => void;
}

/** The fields of a standing rule. It is no form of HTML: Enter in the filter field is the field's own. */
export function RuleForm({ queue, target, rule, etag, onSaved, onReload }: RuleFormProps): ReactNode {
	const [draft, setDraft] = useState(() => toRuleDraft(rule));
	const [isChecked, setChecked] = useState(false);
	const filterRef = useRef<HTMLInputElement>(null);
	const change = (next: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...next }));
	const path = { queue_id: queue.id };
	const preview = useMutation({
		mutationFn: async (asked: RuleDraft) => {
			const body = toRuleBody(asked);
			const { data } = await api.put("/v1/review_queues/{queue_id}/rule", { path, query: { preview: true }, body });
			return { of: asked, counts: data as ReviewRulePreview };
		},
	});
	const save = useMutation({
		mutationFn: (asked: RuleDraft) => {
			const headers = etag === undefined ? {} : { "if-match": etag };
			return api.put("/v1/review_queues/{queue_id}/rule", { path, body: toRuleBody(asked), headers });
		},
		onSuccess: onSaved,
	});
	// What stands in the field counts, also where it is not read yet, or wrong.
	const submit = (to: { readonly mutate: (draft: RuleDraft) => void }) => () => {
		const asked = { ...draft, filter: filterRef.current?.value.trim() ?? draft.filter };
		setDraft(asked);
		setChecked(true);
		preview.reset();
		save.reset();
		if (wrongInRule(asked).size === 0) to.mutate(asked);
	};
	const error = save.error ?? preview.error;
	const wrong = wrongInRule(draft);
	const missing = (field: WrongInRule) => (isChecked && wrong.has(field) ? TEXTS.missing[field] : undefined);
	const isBusy = save.isPending || preview.isPending;
	return (
		<div className="flex flex-col gap-3">
			<ProjectField value={draft.project} onChange={(project) => change({ project })} error={missing("project")} />
			<div className="flex flex-col gap-1">
				<span aria-hidden className="text-muted text-sm">
					{TEXTS.filter}
				</span>
				<div className="flex">
					<FilterBar
						target={target}
						label={TEXTS.filter}
						search={draft.filter === "" ? {} : { filter: draft.filter }}
						onSearch={({ q, filter }) => change({ filter: filter ?? q ?? "" })}
						error={error}
						inputRef={filterRef}
						project={draft.project === "" ? undefined : draft.project}
						hasKey={false}
					/>
				</div>
				<span className="text-muted text-sm">{TEXTS.filterHint}</span>
			</div>
			<div className="flex flex-wrap items-start gap-x-6 gap-y-3">
				<Numbers draft={draft} change={change} missing={missing} />
			</div>
			<label className="flex items-center gap-2">
				<input
					type="checkbox"
					checked={draft.isEnabled}
					onChange={(event) => change({ isEnabled: event.target.checked })}
				/>
				{TEXTS.enabled}
			</label>
			<FormError error={refusalOf(error) === undefined ? error : null} />
			<div className="flex flex-wrap items-center gap-2">
				<Button disabled={isBusy} onClick={submit(preview)}>
					{TEXTS.preview}
				</Button>
				<Button look="primary" disabled={isBusy} onClick={submit(save)}>
					{TEXTS.save}
				</Button>
				{error instanceof ApiError && error.status === 412 && <Button onClick={onReload}>{TEXTS.reload}</Button>}
			</div>
			<p role="status" className="text-muted">
				{preview.isPending
					? TEXTS.previewing
					: preview.data && isSame(preview.data.of, draft) && previewText(preview.data)}
			</p>
		</div>
	);
}

function isSame(one: RuleDraft, other: RuleDraft): boolean {
	return JSON.stringify(toRuleBody(one)) === JSON.stringify(toRuleBody(other));
}

function previewText({ of, counts }: { of: RuleDraft; counts: ReviewRulePreview }): string {
	const { daily_limit: limit } = toRuleBody(of);
	return [
		TEXTS.previewed(counts.matching, counts.sampled),
		typeof limit === "number" ? TEXTS.previewedLimit(limit) : "",
		counts.is_complete ? "" : TEXTS.incomplete,
		".",
	].join("");
}

/** The projects in which the user may annotate. */
function ProjectField({
	value,
	onChange,
	error,
}: {
	value: string;
	onChange: (project: string) => void;
	error: string | undefined;
}): ReactNode {
	const query = useInfiniteQuery(projectPages(undefined));
	useAllPages(query, true);
	const projects = (query.data?.pages.flatMap((page) => page.data) ?? []).filter(
		({ id, own_role }) => id === value || (own_role !== "viewer" && own_role !== null),
	);
	const isListed = value === "" || projects.some(({ id }) => id === value);
	return (
		<>
			<Field label={TEXTS.project} error={error}>
				<Select
					value={value}
					onChange={onChange}
					choices={[
						{ value: "", label: TEXTS.chooseProject },
						...(isListed ? [] : [{ value, label: "…" }]),
						...projects.map(({ id, name }) => ({ value: id, label: name })),
					]}
					className="max-w-80"
				/>
			</Field>
			<FormError error={query.error} />
		</>
	);
}

function Numbers({
	draft,
	change,
	missing,
}: {
	draft: RuleDraft;
	change: (next: Partial<RuleDraft>) => void;
	missing: (field: WrongInRule) => string | undefined;
}): ReactNode {
	return (
		<>
			<Field label={TEXTS.sample} hint={TEXTS.sampleHint} error={missing("sample")}>
				<Input
					type="number"
					min={0}
					max={100}
					step="any"
					value={draft.sample}
					aria-invalid={missing("sample") !== undefined}
					onChange={(event) => change({ sample: event.target.value })}
					className="w-28"
				/>
			</Field>
			<Field label={TEXTS.limit} hint={TEXTS.limitHint} error={missing("limit")}>
				<Input
					type="number"
					min={1}
					max={100_000}
					value={draft.dailyLimit}
					aria-invalid={missing("limit") !== undefined}
					onChange={(event) => change({ dailyLimit: event.target.value })}
					className="w-28"
				/>
			</Field>
		</>
	);
}
