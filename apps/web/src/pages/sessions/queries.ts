import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { rangeQuery, type TimeRangeSearch } from "../../lib/time-range.ts";
import type { SessionsSearch } from "./search.ts";

/** More than fit a screen, and no more: their inputs and outputs are most of what the page loads. */
const PAGE_SIZE = 50;

/** The filter of the list, as the API takes it. */
export function listFilter(search: Omit<SessionsSearch, "cols"> & TimeRangeSearch) {
	return {
		...rangeQuery(search),
		...(search.q ? { q: search.q } : {}),
		...(search.filter ? { filter: search.filter } : {}),
		...(search.user ? { user_id: search.user } : {}),
		...(search.error ? { error: search.error === "1" } : {}),
	};
}

export function sessionPages(
	project: string,
	{ saved: _saved, cols: _cols, ...search }: SessionsSearch & TimeRangeSearch,
) {
	return infiniteQueryOptions({
		queryKey: ["sessions", project, search],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects/{project_identifier}/sessions", {
				path: { project_identifier: project },
				query: {
					...listFilter(search),
					sort: search.sort ?? "start_time",
					order: search.order ?? "desc",
					limit: PAGE_SIZE,
					include_traces: false,
					include: ["annotations"],
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

/** Whether the project has any session at all. */
export function anySessionQuery(project: string) {
	return queryOptions({
		queryKey: ["any-session", project],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/sessions", {
				path: { project_identifier: project },
				query: { limit: 1, include_traces: false },
				signal,
			});
			return page.data.length > 0;
		},
	});
}
