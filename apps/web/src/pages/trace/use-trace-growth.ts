import { ApiError } from "@spanward/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../lib/api.ts";
import { useNow } from "../../lib/time.ts";
import { useTraceEvents } from "../../lib/trace-events.ts";
import { type TraceHead, traceKey } from "./queries.ts";

/** A trace that ended longer ago counts as finished. */
const MAY_GROW_MS = 3 * 60_000;
/** Spans; larger traces are not reloaded automatically. */
const LOAD_BY_ITSELF = 2000;

/**
 * Watches a running or recent trace for spans that arrive or end after it was loaded: loads them when the trace is small,
 * else says how many there are.
 */
export function useTraceGrowth(project: string, trace: TraceHead | undefined, refetch: () => void): number {
	const now = useNow();
	const [newSpans, setNewSpans] = useState(0);
	const queries = useQueryClient();
	const recent = trace !== undefined && (trace.state === "running" || now - Date.parse(trace.end_time) < MAY_GROW_MS);
	const checkForSpans = async () => {
		if (!trace) return;
		const { data } = await api.get("/v1/projects/{project_identifier}/traces/{trace_id}", {
			path: { project_identifier: project, trace_id: trace.trace_id },
			query: { limit: 1, cumulative: false },
		});
		const grown = data.span_count - trace.span_count;
		const hasEnded = data.running_count !== trace.running_count;
		if ((grown > 0 || hasEnded) && data.span_count <= LOAD_BY_ITSELF) refetch();
		if (hasEnded) await queries.invalidateQueries({ queryKey: [...traceKey(project, trace.trace_id), "span"] });
		setNewSpans(Math.max(0, grown));
	};
	useTraceEvents(project, recent, () => {
		checkForSpans().catch((error: unknown) => {
			// On failure the shown trace stays; the next event retries.
			if (!(error instanceof ApiError || error instanceof TypeError)) throw error;
		});
	});
	return trace && trace.span_count + newSpans > LOAD_BY_ITSELF ? newSpans : 0;
}
