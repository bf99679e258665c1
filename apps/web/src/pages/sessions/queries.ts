import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { rangeQuery, type TimeRangeSearch } from "../../lib/time-range.ts";
import type { SessionsSearch } from "./search.ts";

const PAGE_SIZE = 100;
const TURNS_PAGE_SIZE = 50;

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

export function sessionPages(project: string, { cols: _cols, ...search }: SessionsSearch & TimeRangeSearch) {
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

export function sessionQuery(project: string, session: string) {
	return queryOptions({
		queryKey: ["session", project, session],
		queryFn: async ({ signal }) => {
			const path = { session_identifier: session };
			return (await api.get("/v1/sessions/{session_identifier}", { path, query: { project }, signal })).data;
		},
	});
}

/** The traces of a session, the oldest first. */
export function turnPages(project: string, session: string) {
	return infiniteQueryOptions({
		queryKey: ["turns", project, session],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: {
					session_identifier: [session],
					sort: "start_time",
					order: "asc",
					limit: TURNS_PAGE_SIZE,
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

/** The message of a trace's first error. */
export function traceErrorQuery(project: string, traceId: string) {
	return queryOptions({
		queryKey: ["trace-error", project, traceId],
		queryFn: async ({ signal }) => {
			const page = await api.get("/v1/projects/{project_identifier}/spans", {
				path: { project_identifier: project },
				query: {
					trace_id: [traceId],
					error: true,
					limit: 1,
					sort: "start_time",
					order: "asc",
					view: "summary",
					include: ["semantic"],
				},
				signal,
			});
			const span = page.data[0];
			if (!span) return null;
			const { error } = span.semantic ?? {};
			const message = error?.message || span.status_message;
			return { name: span.name, spanId: span.context.span_id, type: error?.type, message };
		},
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
