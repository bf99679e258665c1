import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Cumulative, Instant, SpanSummary } from "#storage/traces/trace-store.ts";
import { type Clock, stateAt } from "./run-state.ts";
import type { NarrowSpan, TraceSpan } from "./schemas.ts";

/** Indexed by OTLP's number of the status code. */
export const STATUS_CODES = ["UNSET", "OK", "ERROR"] as const;

/** OTLP's number of a status code, whose case does not matter. */
export function statusNumber(name: string): number | undefined {
	const names: readonly string[] = STATUS_CODES;
	const number = names.indexOf(name.toUpperCase());
	return number === -1 ? undefined : number;
}

/** Milliseconds from start to end; negative when the sender's clock was set back. */
export function latencyMs({ start, end }: { readonly start: Instant; readonly end: Instant }): number {
	return ((end.micros - start.micros) * 1_000 + (end.nanos - start.nanos)) / 1e6;
}

/** The form of a span in lists of traces. */
export function toTraceSpan(span: SpanSummary): z.output<typeof TraceSpan> {
	return {
		id: encodeGlobalId("Span", span.id),
		span_id: span.spanId,
		parent_id: span.parentSpanId,
		name: span.name,
		span_kind: span.kind,
		status_code: STATUS_CODES[span.statusCode] ?? "UNSET",
		start_time: formatTime(span.start.micros),
		end_time: formatTime(span.end.micros),
	};
}

/** The numbers in the span's own row. */
export function toSpanNumbers(span: SpanSummary) {
	return {
		latency_ms: span.heardMicros === undefined ? latencyMs(span) : null,
		model: span.model,
		provider: span.provider,
		token_count_prompt: span.tokens.prompt ?? null,
		token_count_completion: span.tokens.completion ?? null,
		token_count_total: span.tokens.total ?? null,
		tokens_are_aggregate: span.tokensAreAggregate,
		total_cost: span.cost?.total ?? null,
		session_id: span.sessionId,
		user_id: span.userId,
	};
}

/** The sums over the span and all spans below it. */
export function toCumulativeNumbers(cumulative: Cumulative | undefined) {
	return {
		cumulative_error_count: cumulative?.errorCount ?? 0,
		cumulative_token_count_prompt: cumulative?.tokens.prompt ?? 0,
		cumulative_token_count_completion: cumulative?.tokens.completion ?? 0,
		cumulative_token_count_total: cumulative?.tokens.total ?? 0,
		cumulative_cost: cumulative?.cost ?? 0,
	};
}

/** The form of a span in a trace; `cumulative` are the sums by span row number, if requested. */
export function toNarrowSpan(
	span: SpanSummary,
	cumulative: ReadonlyMap<number, Cumulative> | undefined,
	clock: Clock,
): z.output<typeof NarrowSpan> {
	return {
		...toTraceSpan(span),
		state: stateAt(clock, span.heardMicros),
		trace_id: span.traceId,
		status_message: span.statusMessage,
		...toSpanNumbers(span),
		...(cumulative === undefined ? {} : toCumulativeNumbers(cumulative.get(span.id))),
	};
}
