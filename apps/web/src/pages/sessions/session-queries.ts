import type { Span, SpanPage } from "@spanward/client";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { activityByTrace, type TurnActivity } from "./turn-activity.ts";

const TURNS_PAGE_SIZE = 50;

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

/** Pages of 1,000 spans that are read at most of what the turns of one page did. */
const MOST_ACTIVITY_PAGES = 5;

/** The tools and the errors of some turns, by trace id. */
export function activityQuery(project: string, traceIds: readonly string[]) {
	return queryOptions({
		queryKey: ["turn-activity", project, traceIds],
		queryFn: async ({ signal }): Promise<ReadonlyMap<string, TurnActivity>> => {
			const spans: Span[] = [];
			let cursor: string | null = null;
			for (let page = 0; page < MOST_ACTIVITY_PAGES && (page === 0 || cursor !== null); page += 1) {
				const answer: SpanPage = await api.get("/v1/projects/{project_identifier}/spans", {
					path: { project_identifier: project },
					query: {
						trace_id: [...traceIds],
						filter: "span_kind == 'TOOL' or status_code == 'ERROR'",
						sort: "start_time",
						order: "asc",
						limit: 1_000,
						view: "summary",
						...(cursor === null ? {} : { cursor }),
					},
					signal,
				});
				spans.push(...answer.data);
				cursor = answer.next_cursor;
			}
			return activityByTrace(spans);
		},
		placeholderData: keepPreviousData,
	});
}
