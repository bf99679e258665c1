import type { ReviewQueue } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** Whether a user reviews in a queue; `undefined` while authentication is off. */
export function isReviewer(queue: ReviewQueue, userId: string | undefined): boolean {
	return userId === undefined || queue.reviewers === null || queue.reviewers.includes(userId);
}

/** Review queues, the newest first; the archived ones, or the others. */
export function queuePages(isArchived: boolean) {
	return infiniteQueryOptions({
		queryKey: ["review-queues", isArchived],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/review_queues", {
				query: { limit: 100, archived: isArchived, ...(pageParam ? { cursor: pageParam } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function queueQuery(id: string) {
	return queryOptions({
		queryKey: ["review-queue", id],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/review_queues/{queue_id}", { path: { queue_id: id }, signal })).data,
	});
}
