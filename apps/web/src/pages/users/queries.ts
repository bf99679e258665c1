import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { toRange } from "../../analytics/search.ts";
import { api } from "../../lib/api.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import type { UsersSearch } from "./search.ts";

const PAGE_SIZE = 100;
/** Newest ones on the page of a user. */
const NEWEST = 10;

function rangeOf({ from, to }: TimeRangeSearch, zone: string) {
	return { ...toRange({ ...(from ? { from } : {}), ...(to ? { to } : {}) }, USERS_RANGE), time_zone: zone };
}

/** The users of a project. */
export function userPages(project: string, search: UsersSearch & TimeRangeSearch, zone: string) {
	const { q, filter, sort, order, from, to } = search;
	return infiniteQueryOptions({
		queryKey: ["end-users", project, { q, filter, sort, order, from, to }, zone],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects/{project_identifier}/end_users", {
				path: { project_identifier: project },
				query: {
					...rangeOf(search, zone),
					...(q ? { q } : {}),
					...(filter ? { filter } : {}),
					sort: sort ?? "cost_total",
					order: order ?? "desc",
					limit: PAGE_SIZE,
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		placeholderData: (before, shown) => (shown?.queryKey[1] === project ? before : undefined),
	});
}

export function userQuery(project: string, user: string, range: TimeRangeSearch, zone: string) {
	return queryOptions({
		queryKey: ["end-user", project, user, range, zone],
		queryFn: ({ signal }) =>
			api.get("/v1/projects/{project_identifier}/end_users/{user_id}", {
				path: { project_identifier: project, user_id: user },
				query: rangeOf(range, zone),
				signal,
			}),
	});
}

/** Whether the project has a user in all its time. */
export function anyUserQuery(project: string) {
	return queryOptions({
		queryKey: ["any-end-user", project],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: { filter: "user_id is not None", limit: 1 },
				signal,
			});
			return page.data.length > 0;
		},
	});
}

interface Bounds {
	readonly start_time?: string;
	readonly end_time?: string;
}

/** The newest sessions of a user. */
export function newestSessionsQuery(project: string, user: string, bounds: Bounds) {
	return queryOptions({
		queryKey: ["end-user-sessions", project, user, bounds],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/sessions", {
				path: { project_identifier: project },
				query: { ...bounds, user_id: [user], sort: "start_time", order: "desc", limit: NEWEST, include_traces: false },
				signal,
			});
			return page.data;
		},
	});
}

/** The newest traces of a user. */
export function newestTracesQuery(project: string, user: string, bounds: Bounds) {
	return queryOptions({
		queryKey: ["end-user-traces", project, user, bounds],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: { ...bounds, user_id: [user], sort: "start_time", order: "desc", limit: NEWEST },
				signal,
			});
			return page.data;
		},
	});
}
