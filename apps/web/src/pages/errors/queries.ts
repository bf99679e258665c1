import type { ErrorGroup, ErrorGroupChangeInput, ErrorGroupPage } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { rangeQuery, type TimeRangeSearch } from "../../lib/time-range.ts";
import type { ErrorsSearch } from "./search.ts";

const PAGE_SIZE = 50;
/** How often the inbox looks whether there is something new. */
const LOOK_MS = 20_000;

type Search = ErrorsSearch & TimeRangeSearch;

/** What the inbox asks for, but for the page. */
function listQuery({
	state,
	q,
	filter,
	error_kind: kind,
	assignee,
	release,
	environment,
	user,
	sort,
	...range
}: Search) {
	return {
		...rangeQuery(range),
		...(state ? { state: [state] } : {}),
		...(q ? { q } : {}),
		...(filter ? { filter } : {}),
		...(kind ? { error_kind: [kind] } : {}),
		...(assignee ? { assignee } : {}),
		...(release ? { release } : {}),
		...(environment ? { environment } : {}),
		...(user ? { user_id: user } : {}),
		...(sort ? { sort } : {}),
		include: ["sparkline" as const],
		limit: PAGE_SIZE,
	};
}

async function fetchGroups(project: string, search: Search, cursor: string | undefined, signal: AbortSignal) {
	return await api.get("/v1/projects/{project_identifier}/error_groups", {
		path: { project_identifier: project },
		query: { ...listQuery(search), ...(cursor ? { cursor } : {}) },
		signal,
	});
}

export function groupPages(project: string, search: Search) {
	return infiniteQueryOptions({
		queryKey: ["error-groups", project, search],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) => fetchGroups(project, search, pageParam, signal),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
		// What changed meanwhile waits until a person wants it.
		refetchOnWindowFocus: false,
		staleTime: Number.POSITIVE_INFINITY,
	});
}

/** The first page as it is now, to tell what is new. */
export function newestGroups(project: string, search: Search) {
	return queryOptions({
		queryKey: ["newest-error-groups", project, search],
		queryFn: ({ signal }) => fetchGroups(project, search, undefined, signal),
		refetchInterval: LOOK_MS,
		staleTime: LOOK_MS,
	});
}

/** How many groups of a page are not shown, or have new occurrences. */
export function countNew(shown: readonly ErrorGroup[], newest: ErrorGroupPage): number {
	const known = new Map(shown.map((group) => [group.id, group]));
	return newest.data.filter((group) => {
		const before = known.get(group.id);
		return before === undefined || before.last_seen !== group.last_seen || before.total_count < group.total_count;
	}).length;
}

const group = (id: string) => ({ error_group_id: id });

export function groupQuery(id: string, range: TimeRangeSearch) {
	return queryOptions({
		queryKey: ["error-group", id, range],
		queryFn: async ({ signal }) => {
			const asked = { path: group(id), query: rangeQuery(range), signal };
			return (await api.get("/v1/error_groups/{error_group_id}", asked)).data;
		},
	});
}

export function occurrencePages(id: string, range: TimeRangeSearch) {
	return infiniteQueryOptions({
		queryKey: ["error-group", id, "occurrences", range],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/error_groups/{error_group_id}/occurrences", {
				path: group(id),
				query: { ...rangeQuery(range), ...(pageParam ? { cursor: pageParam } : {}) },
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function similarQuery(id: string) {
	return queryOptions({
		queryKey: ["error-group", id, "similar"],
		queryFn: async ({ signal }) => {
			return (await api.get("/v1/error_groups/{error_group_id}/similar", { path: group(id), signal })).data;
		},
	});
}

export function commentPages(id: string) {
	return infiniteQueryOptions({
		queryKey: ["error-group", id, "comments"],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/error_groups/{error_group_id}/comments", {
				path: group(id),
				query: pageParam ? { cursor: pageParam } : {},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function activityPages(id: string) {
	return infiniteQueryOptions({
		queryKey: ["error-group", id, "activity"],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/error_groups/{error_group_id}/activity", {
				path: group(id),
				query: pageParam ? { cursor: pageParam } : {},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function assigneesQuery(project: string) {
	return queryOptions({
		queryKey: ["error-assignees", project],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project };
			return (await api.get("/v1/projects/{project_identifier}/error_assignees", { path, signal })).data;
		},
	});
}

/** How many spans came in the last day. */
export function spansOfDayQuery(project: string) {
	return queryOptions({
		queryKey: ["spans-of-day", project],
		queryFn: async ({ signal }) => {
			const path = { project_identifier: project };
			const query = { of: "spans" as const, range: "24h" };
			const { data } = await api.get("/v1/projects/{project_identifier}/analytics", { path, query, signal });
			return data.all.totals["count"] ?? 0;
		},
	});
}

/** Makes the same change of groups. @returns how many were not changed although they should have been */
export async function changeGroups(ids: readonly string[], change: ErrorGroupChangeInput): Promise<number> {
	const { data } = await api.post("/v1/error_groups/batch", { body: { ids: [...ids], change } });
	return data.filter(({ status }) => status === "not_found").length;
}

/** What brings a group back to what it was. */
export function restoringChange({
	state,
	resolved_in_release: release,
	ignore_until: until,
}: ErrorGroup): ErrorGroupChangeInput {
	if (state === "resolved") return { state, ...(release === null ? {} : { resolved_in_release: release }) };
	return { state, ...(state === "ignored" && until !== null ? { ignore_until: until } : {}) };
}
