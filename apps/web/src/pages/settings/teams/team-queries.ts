import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

export const teamPages = infiniteQueryOptions({
	queryKey: ["teams"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam: cursor, signal }) =>
		api.get("/v1/teams", { query: { limit: 100, ...(cursor ? { cursor } : {}) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export function teamQuery(team: string) {
	return queryOptions({
		queryKey: ["teams", team],
		queryFn: async ({ signal }) => (await api.get("/v1/teams/{team_id}", { path: { team_id: team }, signal })).data,
	});
}

export function memberPages(team: string) {
	return infiniteQueryOptions({
		queryKey: ["teams", team, "members"],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam: cursor, signal }) =>
			api.get("/v1/teams/{team_id}/members", {
				path: { team_id: team },
				query: { limit: 100, ...(cursor ? { cursor } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}
