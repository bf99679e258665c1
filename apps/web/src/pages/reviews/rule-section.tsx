import { ApiError, type ReviewQueue, type ReviewRule } from "@spanward/client";
import type { FilterTarget } from "@spanward/filter-language";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { fetchExact } from "../../lib/exact-json.ts";
import { projectQuery } from "../../lib/projects.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { percentOf } from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";

const TEXTS = reviewTexts.rule;

/** A rule with the entity tag by which it is changed; null for none, or one that is not seen. */
interface TaggedRule {
	readonly rule: ReviewRule | null;
	readonly etag: string | undefined;
}

function ruleQuery(queueId: string) {
	return queryOptions({
		queryKey: ["review-rule", queueId],
		queryFn: async ({ signal }): Promise<TaggedRule> => {
			try {
				const url = api.url("/v1/review_queues/{queue_id}/rule", { path: { queue_id: queueId } });
				const { body, etag } = await fetchExact(url, signal);
				return { rule: (body as { data: ReviewRule }).data, etag };
			} catch (error) {
				if (error instanceof ApiError && error.code === "review_rule_not_found") return { rule: null, etag: undefined };
				throw error;
			}
		},
	});
}

/** The rule that goes on filling a queue: to be changed, or to be read. */
export function RuleSection({
	queue,
	target,
	mayChange,
}: {
	queue: ReviewQueue;
	target: FilterTarget;
	mayChange: boolean;
}): ReactNode {
	const query = useQuery(ruleQuery(queue.id));
	return (
		<section aria-labelledby="rule" className="flex flex-col gap-3 border-line border-t pt-4">
			<h2 id="rule" className="font-semibold">
				{TEXTS.title}
			</h2>
			<p className="text-muted">{TEXTS.text}</p>
			<Loaded data={query.data} query={query}>
				{({ rule, etag }) =>
					mayChange ? (
						<Own queue={queue} target={target} rule={rule} etag={etag} />
					) : (
						<Others queue={queue} rule={rule} />
					)
				}
			</Loaded>
		</section>
	);
}

interface RuleOfQueue {
	readonly queue: ReviewQueue;
	readonly rule: ReviewRule | null;
}

function Others({ queue, rule }: RuleOfQueue): ReactNode {
	if (rule === null) return <p className="text-muted">{TEXTS.none}</p>;
	return (
		<>
			<p className="text-muted">{TEXTS.readOnly}</p>
			<Stopped rule={rule} />
			<Facts queue={queue} rule={rule} isWhole />
		</>
	);
}

/** The rule for who may change it. While the queue is archived, it can only be deleted. */
function Own({
	queue,
	target,
	rule,
	etag,
}: RuleOfQueue & Pick<TaggedRule, "etag"> & { readonly target: FilterTarget }): ReactNode {
	const queries = useQueryClient();
	const [isDeleting, setDeleting] = useState(false);
	const [status, setStatus] = useState<string | undefined>();
	const isArchived = queue.archived_at !== null;
	const reload = () => queries.invalidateQueries({ queryKey: ruleQuery(queue.id).queryKey });
	return (
		<>
			{rule === null && <p className="text-muted">{TEXTS.noneYet}</p>}
			{rule !== null && <Stopped rule={rule} />}
			{rule !== null && <Facts queue={queue} rule={rule} isWhole={isArchived} />}
			{isArchived ? (
				<p className="text-muted">{TEXTS.rests}</p>
			) : (
				<RuleForm
					key={etag ?? "none"}
					queue={queue}
					target={target}
					rule={rule}
					etag={etag}
					onSaved={async () => {
						await reload();
						setStatus(TEXTS.saved);
					}}
					onReload={() => void reload()}
				/>
			)}
			<div className="flex flex-wrap items-center gap-2">
				{rule !== null && (
					<Button look="danger" onClick={() => setDeleting(true)}>
						{TEXTS.delete}
					</Button>
				)}
				<span role="status" className="text-muted">
					{status}
				</span>
			</div>
			{isDeleting && (
				<DeleteRule
					queueId={queue.id}
					onClose={() => setDeleting(false)}
					onDeleted={async () => {
						await reload();
						setDeleting(false);
						setStatus(TEXTS.deleted);
					}}
				/>
			)}
		</>
	);
}

function DeleteRule({
	queueId,
	onClose,
	onDeleted,
}: {
	queueId: string;
	onClose: () => void;
	onDeleted: () => Promise<void>;
}): ReactNode {
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/review_queues/{queue_id}/rule", { path: { queue_id: queueId } }),
		onSuccess: onDeleted,
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}

/** Why the server switched the rule off. */
function Stopped({ rule }: { rule: ReviewRule }): ReactNode {
	if (rule.error === null) return null;
	return <p className="rounded bg-warn-soft px-3 py-2 text-warn">{TEXTS.stopped(rule.error)}</p>;
}

/** What a rule did lately; and what it says, where no form does. */
function Facts({ queue, rule, isWhole }: { queue: ReviewQueue; rule: ReviewRule; isWhole: boolean }): ReactNode {
	const { data: project } = useQuery({ ...projectQuery(rule.project_id), enabled: isWhole });
	const by = queue.people.find(({ id }) => id === rule.user_id)?.username;
	const facts: readonly (readonly [string, string])[] = [
		...(isWhole
			? ([
					[TEXTS.state, rule.enabled ? TEXTS.isOn : TEXTS.isOff],
					[TEXTS.project, project?.name ?? "…"],
					[TEXTS.filter, rule.filter === "" ? TEXTS.everything : rule.filter],
					[TEXTS.sample, percentOf(rule.sample)],
					[TEXTS.limit, rule.daily_limit === null ? TEXTS.noLimit : String(rule.daily_limit)],
				] as const)
			: []),
		[TEXTS.lately, TEXTS.added(rule.added_today, rule.added)],
		...(by === undefined ? [] : [[TEXTS.rights, by] as const]),
	];
	return (
		<dl className="grid grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
			{facts.map(([name, value]) => (
				<div key={name} className="contents">
					<dt className="text-muted">{name}</dt>
					<dd className="[overflow-wrap:anywhere]">{value}</dd>
				</div>
			))}
		</dl>
	);
}
