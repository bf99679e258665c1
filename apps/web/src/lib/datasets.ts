import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** The datasets, newest first. */
export const datasetPages = infiniteQueryOptions({
	queryKey: ["datasets"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/datasets", { query: { limit: 200, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export function datasetQuery(dataset: string) {
	return queryOptions({
		queryKey: ["dataset", dataset],
		queryFn: async ({ signal }) => (await api.get("/v1/datasets/{id}", { path: { id: dataset }, signal })).data,
	});
}

export function splitsQuery(dataset: string) {
	return queryOptions({
		queryKey: ["dataset-splits", dataset],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/datasets/{dataset_identifier}/splits", {
					path: { dataset_identifier: dataset },
					query: { limit: 1_000 },
					signal,
				})
			).data,
	});
}

/** The versions of a dataset, newest first. */
export function versionPages(dataset: string) {
	return infiniteQueryOptions({
		queryKey: ["dataset-versions", dataset],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/datasets/{id}/versions", {
				path: { id: dataset },
				query: { limit: 100, ...(pageParam ? { cursor: pageParam } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}
