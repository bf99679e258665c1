import type { ReviewItem, ReviewQueue } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { isNotHere } from "../../lib/look-again.ts";
import { notHere } from "../../lib/not-here.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import type { ReviewTargetView } from "../../lib/review-target.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DecidePane } from "./decide-pane.tsx";
import { MissingQueue } from "./missing-queue.tsx";
import { itemQuery } from "./queries.ts";
import { QueueBar } from "./queue-bar.tsx";
import { TargetFrame } from "./target-frame.tsx";

const route = getRouteApi("/reviews/$queue/items/$item");

/** One item with the answers about it, side by side; where adjudicators decide. */
export function ItemPage({ Target }: { Target: ReviewTargetView }): ReactNode {
	const { queue: queueId, item: itemId } = route.useParams();
	const queue = useQuery(queueQuery(queueId));
	const item = useQuery(itemQuery(queueId, itemId));
	usePageTitle(TEXTS.item, queue.data?.name ?? TEXTS.title);
	const error = queue.error ?? item.error;
	return (
		<>
			<QueueBar queue={queue.data} page={TEXTS.item} />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				<h1 className="sr-only">{queue.data ? TEXTS.itemOf(queue.data.name) : TEXTS.item}</h1>
				{queue.data && item.data ? (
					<Item key={itemId} queue={queue.data} item={item.data} Target={Target} />
				) : isNotHere(queue.error) ? (
					<MissingQueue />
				) : isNotHere(item.error) ? (
					<EmptyState {...notHere({ title: TEXTS.missingItem, text: TEXTS.missingItemText })} />
				) : error ? (
					<ErrorState
						error={error}
						onRetry={() => {
							void queue.refetch();
							void item.refetch();
						}}
					/>
				) : (
					<SkeletonRows rows={10} />
				)}
			</main>
		</>
	);
}

function Item({ queue, item, Target }: { queue: ReviewQueue; item: ReviewItem; Target: ReviewTargetView }): ReactNode {
	return (
		<TargetFrame
			target={
				item.state === "removed" ? (
					<EmptyState title={TEXTS.removed} text={TEXTS.removedText} />
				) : (
					<Suspense fallback={<SkeletonRows rows={10} />}>
						<Target target={item.target} />
					</Suspense>
				)
			}
			form={<DecidePane queue={queue} item={item} />}
		/>
	);
}
