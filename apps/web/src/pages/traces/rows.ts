import type { ShownAnnotation, Span, Trace } from "@spanward/client";
import { UNKNOWN } from "../../lib/format.ts";

/** A row of the list, from a trace (with values of its root) or from a span. */
export interface ListRow {
	readonly key: string;
	readonly traceId: string;
	/** Undefined for rows of whole traces. */
	readonly spanId: string | undefined;
	readonly parentId: string | null;
	readonly isError: boolean;
	readonly startTime: string;
	readonly name: string;
	readonly kind: string;
	readonly input: string | null;
	readonly output: string | null;
	readonly state: Trace["state"];
	/** Null without an end. */
	readonly latencyMs: number | null;
	readonly promptTokens: number | null;
	readonly completionTokens: number | null;
	readonly totalTokens: number | null;
	readonly cost: number | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	readonly model: string | null;
	readonly spanCount: number | null;
	readonly errorCount: number;
	readonly statusMessage: string;
	/** The newest annotations; for a trace, including those of its root. */
	readonly annotations: readonly ShownAnnotation[];
}

export function fromTrace(trace: Trace): ListRow {
	// A trace without token counts has the total 0, which is shown as unknown.
	const counted = trace.token_count_total > 0;
	return {
		key: trace.trace_id,
		traceId: trace.trace_id,
		spanId: undefined,
		parentId: null,
		isError: trace.error_count > 0,
		startTime: trace.start_time,
		name: trace.root_name ?? "",
		kind: trace.root_span_kind,
		input: trace.first_input,
		output: trace.last_output,
		state: trace.state,
		latencyMs: trace.latency_ms,
		promptTokens: counted ? trace.token_count_prompt : null,
		completionTokens: counted ? trace.token_count_completion : null,
		totalTokens: counted ? trace.token_count_total : null,
		cost: trace.total_cost,
		sessionId: trace.session_id,
		userId: trace.user_id,
		model: null,
		spanCount: trace.span_count,
		errorCount: trace.error_count,
		statusMessage: "",
		annotations: trace.annotations ?? [],
	};
}

function valueText(value: unknown): string | null {
	if (value === undefined || value === null) return null;
	return typeof value === "string" ? value : JSON.stringify(value);
}

/** The output of a model that only calls tools: `get_weather({"city":"Tokyo"})`. */
function toolCallsText(semantic: Span["semantic"]): string | null {
	const calls = semantic?.output_messages?.flatMap((message) => message.tool_calls ?? []) ?? [];
	if (calls.length === 0) return null;
	return calls.map((call) => `${call.name ?? UNKNOWN}(${valueText(call.arguments) ?? ""})`).join(", ");
}

export function fromSpan(span: Span): ListRow {
	const { semantic } = span;
	return {
		key: span.id,
		traceId: span.context.trace_id,
		spanId: span.context.span_id,
		parentId: span.parent_id,
		isError: span.status_code === "ERROR",
		startTime: span.start_time,
		name: span.name,
		kind: span.span_kind,
		input: semantic?.input_text ?? valueText(semantic?.input?.value),
		output: semantic?.output_text ?? toolCallsText(semantic) ?? valueText(semantic?.output?.value),
		state: span.state,
		latencyMs: span.latency_ms,
		promptTokens: span.token_count_prompt,
		completionTokens: span.token_count_completion,
		totalTokens: span.token_count_total,
		cost: span.total_cost,
		sessionId: span.session_id,
		userId: span.user_id,
		model: span.model,
		spanCount: null,
		errorCount: span.cumulative_error_count,
		statusMessage: semantic?.error?.message ?? span.status_message,
		annotations: span.annotations ?? [],
	};
}
