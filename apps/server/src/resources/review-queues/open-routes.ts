import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { findShownItems } from "./items.ts";
import type { LeftItems } from "./left-items.ts";
import { mayReview, projectsOnlyRead } from "./open-items.ts";
import { assertReviewer, getOpenQueue, listQueues, numberOf, type QueueRow, reviewersOf } from "./queues.ts";
import { type Asking, countOpen, listUpcoming } from "./reserve.ts";
import { noParams, OpenReviews, queueParams, UpcomingQuery, UpcomingReviews } from "./schemas.ts";
import { showItems } from "./to-item.ts";

/** So many queues, the newest, are looked at; and so many items are counted in each. */
const MOST_QUEUES = 100;
const MOST_COUNTED = 100;
const tags = ["review"];

/** What waits for the caller, without taking it. */
export function openReviewRoutes(app: App, { db, now }: Context, leftItems: LeftItems): void {
	app.get(
		"/v1/open_reviews",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listOpenReviews",
				tags,
				summary: "Count the items that wait for one's review, by queue",
				description: `Of the newest ${MOST_QUEUES} queues that are not archived, those in which something waits; at most ${MOST_COUNTED} items are counted in each. Nothing for who cannot review.`,
				querystring: noParams,
				response: { 200: OpenReviews },
			},
		},
		async ({ actor }) => {
			const { principal, rights } = actor;
			if (!mayReview(principal)) return { data: [] };
			const reviewer = numberOf(principal);
			const queues = await listQueues(db.read, { isArchived: false, fromId: undefined, limit: MOST_QUEUES });
			const own = queues.filter(
				(queue) => principal.kind === "anonymous" || (reviewersOf(queue)?.includes(reviewer) ?? true),
			);
			const asking = { reviewer, rights, readOnly: await projectsOnlyRead(db.read, rights), now: now() };
			const data: { queue_id: string; count: number }[] = [];
			for (const queue of own) {
				const count = await countLeft(queue, asking);
				if (count > 0) data.push({ queue_id: encodeGlobalId("ReviewQueue", queue.id), count });
			}
			return { data };
		},
	);

	app.get(
		"/v1/review_queues/:queue_id/upcoming",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listUpcomingReviewItems",
				tags,
				summary: "Look at what one would be given next, without taking it",
				description: "Not what one holds. Somebody else may take it first, and what was given back comes before it.",
				params: queueParams,
				querystring: UpcomingQuery,
				response: { 200: UpcomingReviews },
			},
		},
		async ({ actor, params, query }) => {
			const { principal, rights } = actor;
			const queue = await getOpenQueue(db.read, params.queue_id);
			const reviewer = assertReviewer(queue, principal);
			if (!mayReview(principal)) return { data: [] };
			const asking = { reviewer, rights, readOnly: await projectsOnlyRead(db.read, rights), now: now() };
			const ids = await listUpcoming(db.read, queue, asking, query.limit);
			const rows = await findShownItems(db.read, rights, ids, now());
			return { data: await showItems(db.read, actor, queue, rows) };
		},
	);

	async function countLeft(queue: QueueRow, asking: Asking): Promise<number> {
		const counted = await countOpen(db.read, queue, asking, {
			left: leftItems.of(queue, asking),
			most: MOST_COUNTED,
		});
		return counted ?? (await leftItems.look(db.read, queue, asking, MOST_COUNTED)).ids.length;
	}
}
