import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { useCan, useMe } from "../../lib/me.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { type Drafts, toAnswers, toDrafts } from "../../reviewing/answers.ts";
import { useShell } from "../../shell/shell-context.ts";
import { texts } from "../../texts/en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Key } from "../../ui/keys.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { AddItemExample } from "./add-item-example.tsx";
import { AnswerTable } from "./answer-table.tsx";
import { Guidance } from "./guidance.tsx";
import { StateChip } from "./item-columns.tsx";
import { mayDecide } from "./may-decide.ts";
import { itemPages, itemQuery } from "./queries.ts";
import { ReviewForm } from "./review-form.tsx";

const TEXTS = reviewTexts.decide;
/** So many reviews are taken by a digit key. */
const DIGITS = 9;

/** The answers about an item side by side, and for adjudicators what takes one of them, or another. */
export function DecidePane({ queue, item }: { queue: ReviewQueue; item: ReviewItem }): ReactNode {
	const me = useMe();
	const can = useCan();
	const decide = useDecide(queue, item);
	const [own, setOwn] = useState<Drafts>();
	const answered = item.reviews.flatMap(({ answers }) => (answers === null ? [] : [answers]));
	const mayTake = mayDecide(queue, me?.id, can("admin")) && item.state !== "removed";
	const take = (index: number) => {
		const answers = answered[index];
		if (answers === undefined || decide.isPending) return false;
		decide.mutate(toDrafts(queue.questions, answers));
		return true;
	};
	const write = () => setOwn(toDrafts(queue.questions, item.decision?.answers ?? []));
	return (
		<div className="min-h-0 flex-1 overflow-y-auto">
			<div role="status" className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2 text-muted">
				<StateChip state={item.state} />
				{reviewTexts.turnsOf(item.turns_done, queue.reviews_required)}
				{item.decision && (
					<span>
						{TEXTS.decidedBy(item.decision.decided_by.username ?? TEXTS.somebody)}{" "}
						<RelativeTime time={item.decision.decided_at} />
					</span>
				)}
			</div>
			<Guidance text={queue.guidance} />
			<AnswerTable
				queue={queue}
				item={item}
				onTake={mayTake && own === undefined ? take : undefined}
				isBusy={decide.isPending}
			/>
			<div className="px-3">
				<FormError error={decide.error} />
			</div>
			<div className="px-3 pt-2">
				<AddItemExample queue={queue} item={item} />
			</div>
			{mayTake && own === undefined && <TakeKeys count={answered.length} onTake={take} onWrite={write} />}
			{own !== undefined && (
				<ReviewForm
					queue={queue}
					drafts={own}
					onDrafts={setOwn}
					isReadOnly={false}
					onSave={() => !decide.isPending && decide.mutate(own)}
					saveLabel={TEXTS.save}
					more={[{ keys: ["Escape"], label: texts.action.cancel, run: () => setOwn(undefined) }]}
				>
					{(save) => (
						<div className="sticky bottom-0 flex flex-wrap gap-2 border-line border-t bg-canvas px-3 py-2">
							<Button look="primary" disabled={decide.isPending} onClick={save}>
								{TEXTS.save}
								<span aria-hidden className="pointer-coarse:hidden">
									⏎
								</span>
							</Button>
							<Button onClick={() => setOwn(undefined)}>{texts.action.cancel}</Button>
						</div>
					)}
				</ReviewForm>
			)}
		</div>
	);
}

/** The keys that decide, and the button for an answer of one's own. */
function TakeKeys({
	count,
	onTake,
	onWrite,
}: {
	count: number;
	onTake: (index: number) => boolean;
	onWrite: () => void;
}): ReactNode {
	const shell = useShell();
	useShortcuts({
		title: TEXTS.keys,
		isFirst: true,
		shortcuts: [
			...Array.from({ length: Math.min(count, DIGITS) }, (_, index) => ({
				keys: [String(index + 1)],
				label: TEXTS.takeKey(index + 1),
				run: () => onTake(index),
			})),
			{ keys: ["w"], label: TEXTS.write, run: onWrite },
		],
	});
	return (
		<div className="flex flex-wrap items-center gap-2 px-3 py-2">
			<Button onClick={onWrite}>
				{TEXTS.write}
				<span className="pointer-coarse:hidden">
					<Key name="W" />
				</span>
			</Button>
			<Button look="quiet" onClick={shell.openShortcuts} className="ml-auto pointer-coarse:hidden">
				{reviewTexts.pane.keys}
				<Key name="?" />
			</Button>
		</div>
	);
}

/** Decides an item, and goes on to the next disagreement; to the queue after the last one. */
function useDecide(queue: ReviewQueue, item: ReviewItem) {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const params = { queue: queue.id };
	return useMutation({
		mutationFn: async (drafts: Drafts) =>
			(
				await api.post("/v1/review_queues/{queue_id}/items/{item_id}/adjudication", {
					path: { queue_id: queue.id, item_id: item.id },
					body: { answers: toAnswers(queue.questions, drafts) },
				})
			).data,
		onSuccess: async (decided) => {
			queries.setQueryData(itemQuery(queue.id, item.id).queryKey, decided);
			void queries.invalidateQueries({ queryKey: ["review-queue", queue.id] });
			await queries.invalidateQueries({ queryKey: ["review-items", queue.id] });
			// One that was decided before is only changed.
			if (item.state !== "disagreement") return;
			const { pages } = await queries.fetchInfiniteQuery(itemPages(queue.id, { state: "disagreement" }));
			const [next] = pages.flatMap(({ data }) => data);
			if (next === undefined) await navigate({ to: "/reviews/$queue/disagreements", params });
			else await navigate({ to: "/reviews/$queue/items/$item", params: { ...params, item: next.id } });
		},
	});
}
