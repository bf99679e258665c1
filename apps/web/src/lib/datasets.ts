import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** The datasets, newest first. */
export const datasetPages = infiniteQueryOptions({
	queryKey: ["datasets"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/datasets", { query: { limit: 200, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});
