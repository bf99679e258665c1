import type { ReviewQueue } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { useCan, useMe } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { texts } from "../../texts/en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Guidance } from "./guidance.tsx";
import { type QueueDraft, toDraft, toPatch } from "./queue-draft.ts";
import { QueueForm } from "./queue-form.tsx";
import { RuleSection } from "./rule-section.tsx";

const route = getRouteApi("/reviews/$queue/settings");
const TEXTS = reviewTexts.settings;

/** What a queue asks and of whom; for who made it, and admins, to change. */
export function QueueSettingsPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const me = useMe();
	const can = useCan();
	usePageTitle(reviewTexts.tab.settings, queue?.name ?? reviewTexts.title);
	if (queue === undefined) return <SkeletonRows rows={12} />;
	const mayChange = can("admin") || (can("write") && me !== undefined && queue.created_by === me.id);
	// Filters find no runs of experiments.
	const target = queue.target === "experiment_run" ? undefined : queue.target;
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-3xl flex-col gap-6 p-4">
				{mayChange ? (
					<>
						<Edit key={queue.id} queue={queue} />
						{target && <RuleSection queue={queue} target={target} mayChange />}
						<Ending queue={queue} />
					</>
				) : (
					<>
						<ReadOnly queue={queue} />
						{target && <RuleSection queue={queue} target={target} mayChange={false} />}
					</>
				)}
			</div>
		</div>
	);
}

function useChanged(queue: ReviewQueue): (changed: ReviewQueue) => Promise<void> {
	const queries = useQueryClient();
	return async (changed) => {
		queries.setQueryData(queueQuery(queue.id).queryKey, changed);
		await queries.invalidateQueries({ queryKey: ["review-queues"] });
		void queries.invalidateQueries({ queryKey: ["open-reviews"] });
	};
}

function Edit({ queue }: { queue: ReviewQueue }): ReactNode {
	const onChanged = useChanged(queue);
	const save = useMutation({
		mutationFn: async (draft: QueueDraft) => {
			const path = { queue_id: queue.id };
			return (await api.patch("/v1/review_queues/{queue_id}", { path, body: toPatch(queue, draft) })).data;
		},
		onSuccess: onChanged,
	});
	return (
		<QueueForm
			first={toDraft(queue)}
			isExisting
			action={texts.action.save}
			mutation={save}
			status={save.isSuccess ? TEXTS.saved : undefined}
		/>
	);
}

/** Archiving and deleting. */
function Ending({ queue }: { queue: ReviewQueue }): ReactNode {
	const onChanged = useChanged(queue);
	const [isDeleting, setDeleting] = useState(false);
	const isArchived = queue.archived_at !== null;
	const archive = useMutation({
		mutationFn: async () => {
			const path = { queue_id: queue.id };
			return (await api.patch("/v1/review_queues/{queue_id}", { path, body: { archived: !isArchived } })).data;
		},
		onSuccess: onChanged,
	});
	return (
		<section aria-labelledby="ending" className="flex flex-col gap-2 border-line border-t pt-4">
			<h2 id="ending" className="font-semibold">
				{TEXTS.ending}
			</h2>
			<p className="text-muted">{TEXTS.endingText}</p>
			<FormError error={archive.error} />
			<div className="flex flex-wrap gap-2">
				<Button disabled={archive.isPending} onClick={() => archive.mutate()}>
					{isArchived ? TEXTS.reopen : TEXTS.archive}
				</Button>
				<Button look="danger" onClick={() => setDeleting(true)}>
					{TEXTS.delete}
				</Button>
			</div>
			{isDeleting && <DeleteQueue queue={queue} onClose={() => setDeleting(false)} />}
		</section>
	);
}

function DeleteQueue({ queue, onClose }: { queue: ReviewQueue; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [withAnnotations, setWithAnnotations] = useState(false);
	const remove = useMutation({
		mutationFn: () =>
			api.delete("/v1/review_queues/{queue_id}", {
				path: { queue_id: queue.id },
				query: { delete_annotations: withAnnotations },
			}),
		onSuccess: async () => {
			await navigate({ to: "/reviews" });
			queries.removeQueries({ queryKey: ["review-queue", queue.id] });
			for (const key of ["review-queues", "open-reviews", "annotations"])
				void queries.invalidateQueries({ queryKey: [key] });
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(queue.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
			<label className="flex items-center gap-2">
				<input
					type="checkbox"
					checked={withAnnotations}
					onChange={(event) => setWithAnnotations(event.target.checked)}
				/>
				{TEXTS.deleteAnnotations}
			</label>
		</ConfirmDialog>
	);
}

/** What a queue asks, for who may not change it. */
function ReadOnly({ queue }: { queue: ReviewQueue }): ReactNode {
	const nameOf = (id: string) => queue.people.find((person) => person.id === id)?.username ?? TEXTS.somebody;
	const facts: readonly (readonly [string, string])[] = [
		[reviewTexts.queueForm.target, reviewTexts.targetsOf[queue.target]],
		[
			reviewTexts.queueForm.questions,
			queue.questions
				.map(({ name, required }) => (required ? name : `${name} (${reviewTexts.form.optional})`))
				.join(", "),
		],
		[reviewTexts.queueForm.reviewsRequired, String(queue.reviews_required)],
		[
			reviewTexts.queueForm.reviewers,
			queue.reviewers === null ? reviewTexts.queueForm.everybody : queue.reviewers.map(nameOf).join(", "),
		],
		[reviewTexts.queueForm.adjudicators, [...queue.adjudicators.map(nameOf), TEXTS.admins].join(", ")],
		[reviewTexts.queueForm.blind, queue.blind ? TEXTS.yes : TEXTS.no],
		[reviewTexts.queueForm.order, reviewTexts.queueForm.orders[queue.order]],
		[reviewTexts.queueForm.lease, String(queue.lease_minutes)],
	];
	return (
		<>
			<p className="text-muted">{TEXTS.readOnly}</p>
			{queue.description && <p>{queue.description}</p>}
			<dl className="grid grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
				{facts.map(([name, value]) => (
					<div key={name} className="contents">
						<dt className="text-muted">{name}</dt>
						<dd className="[overflow-wrap:anywhere]">{value}</dd>
					</div>
				))}
			</dl>
			<Guidance text={queue.guidance} />
		</>
	);
}
