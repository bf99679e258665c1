import type { Analytics, Session, Span, Trace } from "@spanward/client";
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AnalyticsQuery, AnalyticsRows } from "../../analytics/chart.ts";
import { withCondition } from "../../filtering/conditions.ts";
import { conditionOf } from "../../filtering/list-condition.ts";
import { api } from "../../lib/api.ts";
import { present } from "../../lib/search-params.ts";

/** Rows that a list of a project can show. */
export type ListedRows = "spans" | "traces" | "sessions";

export interface ExploredRow {
	readonly key: string;
	readonly traceId: string | undefined;
	readonly spanId: string | undefined;
	readonly sessionId: string | null;
	readonly name: string;
	readonly kind: string | undefined;
	readonly startTime: string;
	readonly isError: boolean;
	readonly latencyMs: number | null;
	readonly tokens: number | null;
	readonly cost: number | null;
	readonly userId: string | null;
}

export interface RowsQuestion {
	readonly of: ListedRows;
	readonly filter: string | undefined;
	readonly q: string | undefined;
	readonly start_time: string;
	readonly end_time: string;
}

const PAGE_SIZE = 50;

/** The list of the rows that are counted; undefined where there is none. */
export function listOf(of: AnalyticsRows): ListedRows | undefined {
	if (of === "errors") return "spans";
	return of === "spans" || of === "traces" || of === "sessions" ? of : undefined;
}

/** What the list of the rows that an answer counted is asked for. */
export function rowsQuestion(answer: Analytics, query: AnalyticsQuery, of: ListedRows): RowsQuestion {
	const whole = (time: string) => new Date(time).toISOString();
	return {
		...{ of, filter: query.filter, q: query.q },
		...(answer.of === "errors" ? ofFailures(query) : {}),
		start_time: whole(answer.start_time),
		end_time: whole(answer.end_time),
	};
}

/** The spans that failed by themselves, among those that a filter selects. */
function ofFailures({ filter, q }: AnalyticsQuery): Pick<RowsQuestion, "filter" | "q"> {
	const { condition, words } = conditionOf("span", present({ filter, q }));
	return { filter: withCondition(condition, "error_kind is not None"), q: words };
}

interface Page {
	readonly rows: readonly ExploredRow[];
	readonly next: string | null;
}

/** The rows behind an answer, the newest first. */
export function exploredRows(project: string, question: RowsQuestion) {
	return infiniteQueryOptions({
		queryKey: ["explored-rows", project, question],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) => fetchPage(project, question, pageParam, signal),
		getNextPageParam: (page: Page) => page.next ?? undefined,
	});
}

async function fetchPage(
	project: string,
	{ of, filter, q, start_time, end_time }: RowsQuestion,
	cursor: string | undefined,
	signal: AbortSignal,
): Promise<Page> {
	const path = { project_identifier: project };
	const query = {
		...{ start_time, end_time, limit: PAGE_SIZE, sort: "start_time" as const, order: "desc" as const },
		...(filter === undefined ? {} : { filter }),
		...(q === undefined ? {} : { q }),
		...(cursor === undefined ? {} : { cursor }),
	};
	switch (of) {
		case "spans": {
			const asked = { ...query, view: "summary" as const };
			const page = await api.get("/v1/projects/{project_identifier}/spans", { path, query: asked, signal });
			return { rows: page.data.map(fromSpan), next: page.next_cursor };
		}
		case "traces": {
			const page = await api.get("/v1/projects/{project_identifier}/traces", { path, query, signal });
			return { rows: page.data.map(fromTrace), next: page.next_cursor };
		}
		case "sessions": {
			const asked = { ...query, include_traces: false };
			const page = await api.get("/v1/projects/{project_identifier}/sessions", { path, query: asked, signal });
			return { rows: page.data.map(fromSession), next: page.next_cursor };
		}
	}
}

function fromSpan(span: Span): ExploredRow {
	return {
		...{ key: span.id, traceId: span.context.trace_id, spanId: span.context.span_id, sessionId: span.session_id },
		...{ name: span.name, kind: span.span_kind, startTime: span.start_time, isError: span.status_code === "ERROR" },
		...{ latencyMs: span.latency_ms, tokens: span.token_count_total, cost: span.total_cost, userId: span.user_id },
	};
}

function fromTrace(trace: Trace): ExploredRow {
	const tokens = trace.token_count_total > 0 ? trace.token_count_total : null;
	return {
		...{ key: trace.trace_id, traceId: trace.trace_id, spanId: undefined, sessionId: trace.session_id },
		...{ name: trace.root_name ?? "", kind: trace.root_span_kind },
		...{ startTime: trace.start_time, isError: trace.error_count > 0 },
		...{ latencyMs: trace.latency_ms, tokens, cost: trace.total_cost, userId: trace.user_id },
	};
}

function fromSession(session: Session): ExploredRow {
	const tokens = session.token_count_total > 0 ? session.token_count_total : null;
	return {
		...{ key: session.id, traceId: undefined, spanId: undefined, sessionId: session.session_id },
		...{ name: session.session_id, kind: undefined },
		...{ startTime: session.start_time, isError: session.error_count > 0 },
		...{ latencyMs: session.latency_ms, tokens, cost: session.total_cost, userId: session.user_id },
	};
}
