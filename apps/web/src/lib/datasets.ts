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
