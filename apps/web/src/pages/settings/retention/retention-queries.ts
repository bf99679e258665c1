import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { present } from "../../../lib/search-params.ts";

/** How often a running deletion is polled. */
const REFRESH_MS = 2_000;

/** All policies, of which there are few, the default one first. */
export const policiesQuery = queryOptions({
	queryKey: ["retention", "policies"],
	queryFn: async ({ signal }) => (await api.get("/v1/retention_policies", { query: { limit: 1000 }, signal })).data,
});

export const runPages = infiniteQueryOptions({
	queryKey: ["retention", "runs"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/retention_runs", { query: { limit: 20, ...present({ cursor: pageParam }) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
	refetchInterval: ({ state }) =>
		state.data?.pages.some((page) => page.data.some((run) => run.ended_at === null)) ? REFRESH_MS : false,
});
