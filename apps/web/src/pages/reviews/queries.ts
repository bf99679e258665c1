import type { ReviewItem } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import type { ItemsSearch } from "./search.ts";

const PAGE_SIZE = 100;

/** The items of a queue in the order in which they were added. */
export function itemPages(queueId: string, { state, reviewer }: ItemsSearch) {
	return infiniteQueryOptions({
		queryKey: ["review-items", queueId, state, reviewer],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/review_queues/{queue_id}/items", {
				path: { queue_id: queueId },
				query: {
					limit: PAGE_SIZE,
					...(state === undefined ? {} : { state }),
					...(reviewer === undefined ? {} : { reviewer }),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

/** One item as the user may see it. */
export function itemQuery(queueId: string, itemId: string) {
	return queryOptions({
		queryKey: ["review-item", queueId, itemId],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/review_queues/{queue_id}/items/{item_id}", {
					path: { queue_id: queueId, item_id: itemId },
					signal,
				})
			).data,
	});
}

/** The last 50 reviews of the user, the newest first. */
export function ownReviewsQuery(queueId: string) {
	return queryOptions({
		queryKey: ["own-reviews", queueId],
		queryFn: async ({ signal }): Promise<readonly ReviewItem[]> =>
			(await api.get("/v1/review_queues/{queue_id}/own_reviews", { path: { queue_id: queueId }, signal })).data,
		// Reviews of this page are put in front as they are made.
		staleTime: 0,
	});
}
