import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import CircleCheck from "lucide-react/icons/circle-check";
import { type ReactNode, Suspense, useState } from "react";
import { api } from "../../lib/api.ts";
import { isNotHere } from "../../lib/look-again.ts";
import { useMe } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { isReviewer, queueQuery } from "../../lib/review-queues.ts";
import type { LoadAhead, ReviewTargetView } from "../../lib/review-target.ts";
import type { Drafts } from "../../reviewing/answers.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { MissingQueue } from "./missing-queue.tsx";
import { QueueBar } from "./queue-bar.tsx";
import { ReviewPane } from "./review-pane.tsx";
import { TargetFrame } from "./target-frame.tsx";
import { useReviewing } from "./use-reviewing.ts";

const route = getRouteApi("/reviews/$queue/review");

export interface ReviewPageProps {
	readonly Target: ReviewTargetView;
	readonly loadAhead: LoadAhead;
}

/** Where somebody answers the questions of a queue, item after item. */
export function ReviewPage(props: ReviewPageProps): ReactNode {
	const { queue: id } = route.useParams();
	const query = useQuery(queueQuery(id));
	const me = useMe();
	usePageTitle(TEXTS.reviewing, query.data?.name ?? TEXTS.title);
	const queue = query.data;
	return (
		<>
			<QueueBar queue={queue} page={TEXTS.reviewing} />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<h1 className="sr-only">{queue === undefined ? TEXTS.reviewing : TEXTS.reviewingIn(queue.name)}</h1>
				{queue !== undefined ? (
					queue.archived_at !== null || !isReviewer(queue, me?.id) ? (
						<Refused queue={queue} />
					) : (
						<Turns key={id} queue={queue} {...props} />
					)
				) : isNotHere(query.error) ? (
					<MissingQueue />
				) : query.error ? (
					<ErrorState error={query.error} onRetry={() => void query.refetch()} />
				) : (
					<SkeletonRows rows={10} />
				)}
			</main>
		</>
	);
}

function Refused({ queue }: { queue: ReviewQueue }): ReactNode {
	return (
		<EmptyState
			title={queue.archived_at === null ? TEXTS.noReviewer : TEXTS.isArchived}
			text={queue.archived_at === null ? TEXTS.noReviewerText : TEXTS.isArchivedText}
			actions={<ToQueue queue={queue} />}
		/>
	);
}

function ToQueue({ queue }: { queue: ReviewQueue }): ReactNode {
	return (
		<Link to="/reviews/$queue/items" params={{ queue: queue.id }} className={buttonClass()}>
			{TEXTS.toQueue}
		</Link>
	);
}

function Turns({ queue, Target, loadAhead }: ReviewPageProps & { queue: ReviewQueue }): ReactNode {
	const reviewing = useReviewing(queue, (items) => loadAhead(items, queue.hide_model_annotations));
	const leave = useLeave(queue, reviewing.shown);
	/** What was filled in, by item, so that it is there after going back to another one. */
	const [typed] = useState(() => new Map<string, Drafts>());
	const { shown, error } = reviewing;
	if (error !== undefined && (shown === undefined || shown === "nothing"))
		return <ErrorState error={error} onRetry={reviewing.take} />;
	if (shown === undefined) return <SkeletonRows rows={10} />;
	if (shown === "nothing") return <Nothing queue={queue} reviewing={reviewing} />;
	const { item } = shown;
	const key = `${item.id} ${shown.reservedUntil ?? "former"}`;
	return (
		<TargetFrame
			key={item.id}
			target={
				<Suspense fallback={<SkeletonRows rows={10} />}>
					<Target target={item.target} hidesAnnotations={queue.hide_model_annotations} />
				</Suspense>
			}
			form={
				<ReviewPane
					key={key}
					queue={queue}
					shown={shown}
					drafts={typed.get(key) ?? shown.drafts}
					onDrafts={(drafts) => typed.set(key, drafts)}
					reviewing={reviewing}
					onLeave={leave.mutate}
				/>
			}
		/>
	);
}

/** Gives back what the user holds, and goes to the queue. */
function useLeave(
	queue: ReviewQueue,
	shown: { readonly item: ReviewItem; readonly reservedUntil?: string } | "nothing" | undefined,
) {
	const navigate = useNavigate();
	return useMutation({
		mutationFn: async () => {
			if (shown === undefined || shown === "nothing" || shown.reservedUntil === undefined) return;
			await api.post("/v1/review_queues/{queue_id}/items/{item_id}/release", {
				path: { queue_id: queue.id, item_id: shown.item.id },
			});
		},
		// Its lease ends without that, too.
		onSettled: () => navigate({ to: "/reviews/$queue/items", params: { queue: queue.id } }),
	});
}

function Nothing({ queue, reviewing }: { queue: ReviewQueue; reviewing: ReturnType<typeof useReviewing> }): ReactNode {
	return (
		<div role="status">
			<EmptyState
				icon={<CircleCheck size={24} aria-hidden className="text-ok" />}
				title={reviewing.saved > 0 ? TEXTS.allDone(reviewing.saved) : TEXTS.nothing}
				text={TEXTS.nothingText}
				actions={
					<>
						{reviewing.mostBack > 0 && <Button onClick={reviewing.goBack}>{TEXTS.changeFormer}</Button>}
						<Button onClick={reviewing.take}>{TEXTS.lookAgain}</Button>
						<ToQueue queue={queue} />
					</>
				}
			/>
		</div>
	);
}
