import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

/** Large, as the search runs in the browser. */
const PAGE_SIZE = 500;

export const ownKeysQuery = queryOptions({
	queryKey: ["api-keys", "own"],
	queryFn: async ({ signal }) => (await api.get("/v1/user/api_keys", { signal })).data,
});

export const systemKeysQuery = queryOptions({
	queryKey: ["api-keys", "system"],
	queryFn: async ({ signal }) => (await api.get("/v1/system/api_keys", { signal })).data,
});

/** The keys of all users. */
export const userKeyPages = infiniteQueryOptions({
	queryKey: ["api-keys", "users"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/users/api_keys", { query: { limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});
