import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

/** Differences that are shown at a time: each page of them computes all figures. */
const DIFFERENCES = 100;

export function progressQuery(queueId: string) {
	return queryOptions({
		queryKey: ["review-progress", queueId],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/review_queues/{queue_id}/progress", { path: { queue_id: queueId }, signal })).data,
	});
}

export function agreementQuery(queueId: string) {
	return queryOptions({
		queryKey: ["review-agreement", queueId],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/review_queues/{queue_id}/agreement", { path: { queue_id: queueId }, signal })).data,
		staleTime: 60_000,
	});
}

/** The names of annotations that a queue's gold answers can be compared with. */
export function annotationNamesQuery(queueId: string) {
	return queryOptions({
		queryKey: ["review-annotation-names", queueId],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/review_queues/{queue_id}/annotation_names", { path: { queue_id: queueId }, signal })).data,
	});
}

/** What is compared with the gold answers of a queue. */
export interface Calibrated {
	readonly annotation_name: string;
	readonly annotation_config_id: string;
	readonly gold: "all" | "decisions";
}

export function calibrationPages(queueId: string, compared: Calibrated) {
	return infiniteQueryOptions({
		queryKey: ["review-calibration", queueId, compared],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/review_queues/{queue_id}/calibration", {
				path: { queue_id: queueId },
				query: { ...compared, limit: DIFFERENCES, ...(pageParam ? { cursor: pageParam } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		staleTime: 60_000,
	});
}

/** Where the items that differ are downloaded. */
export function differencesUrl(queueId: string, compared: Calibrated): string {
	return api.url("/v1/review_queues/{queue_id}/calibration", {
		path: { queue_id: queueId },
		query: { ...compared, format: "csv" },
	});
}
