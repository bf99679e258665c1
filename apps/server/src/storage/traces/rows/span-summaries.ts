import type { Cost } from "#pricing/cost.ts";
import { kindOf } from "../totals/span-kinds.ts";
import { isRunning, repeatsDescendants, toHex } from "../totals/span-node.ts";
import type { SpanPlace, SpanSummary } from "../trace-store.ts";
import { endOf } from "./times.ts";

/** A row of `spans`, with its trace id. */
export interface SpanSummaryRow {
	readonly id: number;
	readonly project_id: number;
	readonly trace_row_id: number;
	readonly trace_id: Uint8Array;
	readonly span_id: Uint8Array;
	readonly parent_span_id: Uint8Array | null;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	/** Present in queries for summaries: the latest time that its trace has. */
	readonly heard_micros?: number | null;
	readonly kind: number;
	readonly otel_kind: number;
	readonly status_code: number;
	readonly flags: number;
	readonly block_id: number;
	readonly ordinal: number;
	readonly name: string;
	readonly model: string | null;
	readonly provider: string | null;
	readonly tokens_prompt: number | null;
	readonly tokens_completion: number | null;
	readonly tokens_total: number | null;
	readonly tokens_cache_read: number | null;
	readonly tokens_cache_write: number | null;
	readonly tokens_reasoning: number | null;
	readonly cost_source: number | null;
	readonly cost_total: number | null;
	readonly cost_prompt: number | null;
	readonly cost_completion: number | null;
	readonly cost_cache_read: number | null;
	readonly cost_cache_write: number | null;
	readonly cost_reasoning: number | null;
	readonly session_id: string | null;
	readonly user_id: string | null;
	readonly status_message: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly api_key_id: number | null;
}

export function toSpanPlace(
	row: Pick<SpanSummaryRow, "id" | "project_id" | "trace_row_id" | "start_micros">,
): SpanPlace {
	return { id: row.id, projectId: row.project_id, traceRowId: row.trace_row_id, startMicros: row.start_micros };
}

/** The columns that say which span a row is and where its content is. */
export type LocationRow = Pick<SpanSummaryRow, "id" | "block_id" | "ordinal">;

export function toSpanSummary(row: Omit<SpanSummaryRow, "block_id" | "ordinal">): SpanSummary {
	return {
		id: row.id,
		projectId: row.project_id,
		traceRowId: row.trace_row_id,
		traceId: toHex(row.trace_id),
		spanId: toHex(row.span_id),
		parentSpanId: row.parent_span_id === null ? null : toHex(row.parent_span_id),
		name: row.name,
		kind: kindOf(row.kind),
		otelKind: row.otel_kind,
		start: { micros: row.start_micros, nanos: row.start_nanos },
		end: endOf(row),
		...(isRunningRow(row) && { heardMicros: Math.max(row.heard_micros ?? 0, row.start_micros) }),
		statusCode: row.status_code,
		statusMessage: row.status_message ?? "",
		model: row.model,
		provider: row.provider,
		tokens: present({
			prompt: row.tokens_prompt,
			completion: row.tokens_completion,
			total: row.tokens_total,
			cache_read: row.tokens_cache_read,
			cache_write: row.tokens_cache_write,
			reasoning: row.tokens_reasoning,
		}),
		tokensAreAggregate: repeatsDescendants(row.flags),
		cost: toCost(row),
		sessionId: row.session_id,
		userId: row.user_id,
		release: row.release,
		environment: row.environment,
	};
}

/** An end of 1970 was stored for a span without one by former versions. */
export function isRunningRow({ flags, end_micros }: Pick<SpanSummaryRow, "flags" | "end_micros">): boolean {
	return isRunning(flags) || end_micros === 0;
}

function toCost(row: Omit<SpanSummaryRow, "block_id" | "ordinal">): Cost | null {
	if (row.cost_total === null) return null;
	const parts = present({
		prompt: row.cost_prompt,
		completion: row.cost_completion,
		cache_read: row.cost_cache_read,
		cache_write: row.cost_cache_write,
		reasoning: row.cost_reasoning,
	});
	return { total: row.cost_total, ...parts, source: row.cost_source === 1 ? "sent" : "table" };
}

function present<Key extends string>(values: Readonly<Record<Key, number | null>>): Partial<Record<Key, number>> {
	const result: Partial<Record<Key, number>> = {};
	for (const key of Object.keys(values) as Key[]) {
		const value = values[key];
		if (value !== null) result[key] = value;
	}
	return result;
}
