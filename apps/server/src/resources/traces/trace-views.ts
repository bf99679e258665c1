import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { TraceSummary } from "#storage/traces/trace-store.ts";
import { latencyMs, STATUS_CODES, type toTraceSpan } from "../spans/narrow-views.ts";
import { type Clock, stateOf } from "../spans/run-state.ts";
import type { Trace } from "./schemas.ts";

type WireTrace = z.output<typeof Trace>;

/** The wire form of a trace, without its spans. */
export function toTrace(trace: TraceSummary, clock: Clock): Omit<WireTrace, "spans"> {
	return {
		id: encodeGlobalId("Trace", trace.id),
		trace_id: trace.traceId,
		project_id: encodeGlobalId("Project", trace.projectId),
		start_time: formatTime(trace.start.micros),
		end_time: formatTime(trace.end.micros),
		state: stateOf(trace, clock),
		latency_ms: trace.runningCount === 0 ? latencyMs(trace) : null,
		token_count_prompt: trace.tokens.prompt,
		token_count_completion: trace.tokens.completion,
		token_count_total: trace.tokens.total,
		total_cost: trace.totalCost,
		span_count: trace.spanCount,
		running_count: trace.runningCount,
		error_count: trace.errorCount,
		root_name: trace.rootName,
		root_span_id: trace.rootSpanId,
		root_span_kind: trace.rootKind,
		root_status_code: STATUS_CODES[trace.rootStatusCode] ?? "UNSET",
		first_input: trace.firstInput,
		last_output: trace.lastOutput,
		session_id: trace.sessionId,
		user_id: trace.userId,
	};
}

/** The form of a trace in lists; `spans` is null unless requested. */
export function toTraceItem(
	trace: TraceSummary,
	spans: ReturnType<typeof toTraceSpan>[] | null,
	clock: Clock,
): WireTrace {
	return { ...toTrace(trace, clock), spans };
}
