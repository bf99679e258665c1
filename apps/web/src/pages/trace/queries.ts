import type { TraceWithSpans } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import type { TraceSpan } from "./trace-span.ts";
import { toTraceSpan } from "./wire-span.ts";

/** Spans in the first request, enough for the first screen; the rest follows in few requests. */
const FIRST_PAGE = 500;
const PAGE = 5000;
const MINUTE = 60_000;
/** An answer that nobody reads, as its trace was closed. */
const KEPT_ANSWER_MS = 5_000;

/** A trace without its spans. */
export type TraceHead = Omit<TraceWithSpans["data"], "spans">;

export interface TracePart {
	readonly trace: TraceHead;
	readonly spans: readonly TraceSpan[];
	/** Ids of the spans that have annotations. */
	readonly annotated: readonly string[];
	readonly nextCursor: string | null;
}

export const traceKey = (project: string, traceId: string) => ["trace-page", project, traceId] as const;

/** The spans of a trace by start time, part by part. */
export function traceQuery(project: string, traceId: string) {
	return infiniteQueryOptions({
		queryKey: [...traceKey(project, traceId), "spans"],
		initialPageParam: null as string | null,
		getNextPageParam: (last: TracePart) => last.nextCursor,
		queryFn: async ({ pageParam, signal, client }): Promise<TracePart> => {
			const options = answerQuery(project, traceId, pageParam);
			const only = { queryKey: options.queryKey, exact: true };
			signal.addEventListener("abort", () => void client.cancelQueries(only), { once: true });
			const answer = await client.fetchQuery(options);
			client.removeQueries(only);
			// The server reads the next part while this one is drawn.
			if (answer.next_cursor !== null) void client.prefetchQuery(answerQuery(project, traceId, answer.next_cursor));
			const { spans, ...trace } = answer.data;
			const annotated = spans.filter(hasAnnotations).map((span) => span.span_id);
			return { trace, spans: spans.map(toTraceSpan), annotated, nextCursor: answer.next_cursor };
		},
		staleTime: MINUTE,
		refetchOnWindowFocus: false,
		// Comparing tens of thousands of spans with themselves costs more than drawing them.
		structuralSharing: false,
	});
}

/** One part as the server sends it; kept until it is read. */
function answerQuery(project: string, traceId: string, cursor: string | null) {
	return queryOptions({
		queryKey: [...traceKey(project, traceId), "answer", cursor],
		queryFn: ({ signal }) =>
			api.get("/v1/projects/{project_identifier}/traces/{trace_id}", {
				path: { project_identifier: project, trace_id: traceId },
				query: {
					...(cursor === null ? { limit: FIRST_PAGE } : { limit: PAGE, cursor }),
					cumulative: false,
					include: ["annotations"],
				},
				signal,
			}),
		staleTime: MINUTE,
		gcTime: KEPT_ANSWER_MS,
		retry: false,
		structuralSharing: false,
	});
}

function hasAnnotations(span: { readonly span_id: string; readonly annotation_count?: number }): boolean {
	return (span.annotation_count ?? 0) > 0;
}
