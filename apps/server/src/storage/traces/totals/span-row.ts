import { kindNumber } from "./span-kinds.ts";
import { flagsOf, type SpanNode } from "./span-node.ts";

/** Columns of `spans` that both databases have. */
export const SPAN_COLUMNS = [
	"id",
	"project_id",
	"trace_row_id",
	"span_id",
	"parent_span_id",
	"start_micros",
	"start_nanos",
	"end_micros",
	"end_nanos",
	"kind",
	"otel_kind",
	"status_code",
	"flags",
	"block_id",
	"ordinal",
	"name",
	"model",
	"provider",
	"tokens_prompt",
	"tokens_completion",
	"tokens_total",
	"tokens_cache_read",
	"tokens_cache_write",
	"tokens_reasoning",
	"cost_source",
	"cost_total",
	"cost_prompt",
	"cost_completion",
	"cost_cache_read",
	"cost_cache_write",
	"cost_reasoning",
	"session_id",
	"user_id",
	"status_message",
	"release",
	"environment",
	"api_key_id",
] as const;

/** A span's row number, and the place of its content. */
export interface SpanLocation {
	readonly id: number;
	readonly blockId: number;
	readonly ordinal: number;
}

export const COST_SOURCES = { sent: 1, table: 2 } as const;

/** Values of `SPAN_COLUMNS` for a span of the batch; `node` has its row number and flags. */
export function spanValues(
	node: SpanNode,
	projectId: number,
	traceRowId: number,
	place: SpanLocation,
): (number | string | Uint8Array | null)[] {
	const span = node.source;
	if (span === undefined) throw new Error("only spans of the batch are inserted");
	const { tokens } = span.facts;
	const { cost } = span;
	return [
		node.id,
		projectId,
		traceRowId,
		Buffer.from(node.spanId, "hex"),
		node.parentSpanId === null ? null : Buffer.from(node.parentSpanId, "hex"),
		node.startMicros,
		node.startNanos,
		node.endMicros,
		node.endNanos,
		kindNumber(span.facts.kind),
		span.otelKind,
		span.statusCode,
		flagsOf(node),
		place.blockId,
		place.ordinal,
		node.name,
		node.model,
		span.facts.provider ?? null,
		tokens.prompt ?? null,
		tokens.completion ?? null,
		tokens.total ?? null,
		tokens.cache_read ?? null,
		tokens.cache_write ?? null,
		tokens.reasoning ?? null,
		cost === null ? null : COST_SOURCES[cost.source],
		cost?.total ?? null,
		cost?.prompt ?? null,
		cost?.completion ?? null,
		cost?.cache_read ?? null,
		cost?.cache_write ?? null,
		cost?.reasoning ?? null,
		node.sessionId,
		node.userId,
		span.statusMessage === "" ? null : span.statusMessage,
		node.release,
		node.environment,
		node.apiKeyId,
	];
}
