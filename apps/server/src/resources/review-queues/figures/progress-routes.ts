import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { formatTime } from "#http/wire-times.ts";
import { countItems, getQueue } from "../queues.ts";
import { noParams, queueParams } from "../schemas.ts";
import { findNames, toReviewer } from "../to-item.ts";
import { countReviewsLeft, estimateEnd, progressByDay, progressByReviewer } from "./progress.ts";
import { QueueProgress } from "./schemas.ts";

const MOST_DAYS = 400;

/** How far a queue is: nothing of what anybody answered. */
export function reviewProgressRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/review_queues/:queue_id/progress",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewProgress",
				tags: ["review"],
				summary: "How far a review queue is, by reviewer and day, and when it would be done",
				params: queueParams,
				querystring: noParams,
				response: { 200: QueueProgress },
			},
		},
		async ({ actor, params }) => {
			const queue = await getQueue(db.read, params.queue_id);
			const { rights } = actor;
			const asking = { queue, rights, now: now() };
			const counts = (await countItems(db.read, rights, [queue.id], asking.now))(queue.id);
			const { reviewers, medianSeconds } = await progressByReviewer(db.read, asking);
			const days = await progressByDay(db.read, asking);
			const left = await countReviewsLeft(db.read, asking);
			const end = queue.archived_at === null ? await estimateEnd(db.read, asking, left) : undefined;
			const names = await findNames(
				db.read,
				reviewers.map(({ reviewer }) => reviewer),
			);
			const sum = (of: readonly number[]) => of.reduce((all, each) => all + each, 0);
			return {
				data: {
					items: sum(Object.values(counts)),
					...{ done: counts.done, left: counts.pending + counts.in_review },
					...{ disagreements: counts.disagreement, removed: counts.removed },
					reviews: sum(reviewers.map(({ reviews }) => reviews)),
					reviews_left: left,
					skips: sum(reviewers.map(({ skips }) => skips)),
					decisions: sum(days.map(({ decisions }) => decisions)),
					median_seconds: medianSeconds ?? null,
					reviewers: reviewers.map(({ reviewer, reviews, skips, medianSeconds: ofReviewer }) => ({
						...{ reviewer: toReviewer(reviewer, names), reviews, skips, median_seconds: ofReviewer ?? null },
					})),
					days: days.slice(-MOST_DAYS),
					estimated_end: end === undefined ? null : formatTime(end),
				},
			};
		},
	);
}
