import { READING, type SpanFacts } from "@spanward/semconv";
import { present } from "#base/present.ts";
import type { Cost } from "#pricing/cost.ts";
import { kindNumber } from "#storage/traces/totals/span-kinds.ts";
import { flagsOf, type SpanNode } from "#storage/traces/totals/span-node.ts";
import { COST_SOURCES } from "#storage/traces/totals/span-row.ts";
import type { Turn } from "../metadata/turns.ts";
import type { SpanRow } from "../tables.ts";

interface Place {
	readonly id: number;
	readonly project_id: number;
	readonly trace_id: Buffer;
}

/** The row of a span of the batch; `node` has its row number and flags. */
export function spanRow(
	node: SpanNode,
	trace: Place,
	{ texts, has_logs }: Pick<SpanRow, "texts" | "has_logs">,
	{ batch, version }: Turn,
): SpanRow {
	const span = present(node.source, "what a written span was made of");
	return {
		project_id: trace.project_id,
		start_micros: node.startMicros,
		start_nanos: node.startNanos,
		trace_id: trace.trace_id,
		span_id: Buffer.from(node.spanId, "hex"),
		id: node.id,
		trace_row_id: trace.id,
		batch,
		parent_span_id: node.parentSpanId === null ? null : Buffer.from(node.parentSpanId, "hex"),
		end_micros: node.endMicros,
		end_nanos: node.endNanos,
		otel_kind: span.otelKind,
		status_code: span.statusCode,
		flags: flagsOf(node),
		texts,
		has_logs,
		content_bytes: span.bytes.length + span.scope.bytes.length + span.resource.bytes.length,
		name: node.name,
		...factColumns(span.facts),
		...costColumns(span.cost),
		status_message: span.statusMessage === "" ? null : span.statusMessage,
		version,
		is_deleted: 0,
		reading: READING,
		api_key_id: node.apiKeyId,
	};
}

/** The columns that follow from the facts of a span. */
export function factColumns(facts: SpanFacts) {
	const { kind, model, provider, tokens, session_id, user_id, release, environment } = facts;
	return {
		kind: kindNumber(kind),
		model: model ?? null,
		provider: provider ?? null,
		tokens_prompt: tokens.prompt ?? null,
		tokens_completion: tokens.completion ?? null,
		tokens_total: tokens.total ?? null,
		tokens_cache_read: tokens.cache_read ?? null,
		tokens_cache_write: tokens.cache_write ?? null,
		tokens_reasoning: tokens.reasoning ?? null,
		session_id: session_id ?? null,
		user_id: user_id ?? null,
		release: release ?? null,
		environment: environment ?? null,
	};
}

/** The columns that are the cost of a span. */
export function costColumns(cost: Cost | null) {
	return {
		cost_source: cost === null ? 0 : COST_SOURCES[cost.source],
		cost_total: cost?.total ?? null,
		cost_prompt: cost?.prompt ?? null,
		cost_completion: cost?.completion ?? null,
		cost_cache_read: cost?.cache_read ?? null,
		cost_cache_write: cost?.cache_write ?? null,
		cost_reasoning: cost?.reasoning ?? null,
	};
}
