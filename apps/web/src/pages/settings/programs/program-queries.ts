import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

/** What one has let programs do. */
export const ownGrantsQuery = queryOptions({
	queryKey: ["oauth2-grants", "own"],
	queryFn: async ({ signal }) => (await api.get("/v1/user/oauth2_grants", { signal })).data,
});

/** What everybody has let programs do, or one of them. @param client id */
export const grantPages = (client: string | undefined) =>
	infiniteQueryOptions({
		queryKey: ["oauth2-grants", "all", client],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam: cursor, signal }) =>
			api.get("/v1/oauth2_grants", {
				query: { limit: 100, ...(client ? { client } : {}), ...(cursor ? { cursor } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});

export const clientPages = infiniteQueryOptions({
	queryKey: ["oauth2-clients"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam: cursor, signal }) =>
		api.get("/v1/oauth2_clients", { query: { limit: 100, ...(cursor ? { cursor } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});
