import type { ClientBase } from "pg";
import { NODE_COLUMNS, type NodeRow, nodeOfRow, type SpanNode } from "#storage/traces/totals/span-node.ts";
import { TRACE_COLUMNS, type TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { SpanInBlock } from "./blocks.ts";

/** A span of a trace that is being changed: what totals need, and the place of its content. */
export interface TraceSpan extends SpanInBlock {
	readonly traceRowId: number;
	readonly trace_id: Uint8Array;
	readonly span_id: Uint8Array;
	readonly ordinal: number;
	readonly node: SpanNode;
}

/**
 * Locks existing traces, always in the same order: until the end of the transaction nobody else can change or annotate
 * them. Missing traces are not in the result.
 */
export async function lockTracesExclusively(client: ClientBase, traceRowIds: readonly number[]): Promise<TraceRow[]> {
	const { rows } = await client.query<TraceRow>(
		`select id, ${TRACE_COLUMNS.join(", ")} from traces where id = any($1::bigint[])
		order by trace_id, project_id for update`,
		[traceRowIds],
	);
	return rows;
}

/** The spans of locked traces. */
export async function readSpans(client: ClientBase, traceRowIds: readonly number[]): Promise<TraceSpan[]> {
	return await selectSpans(client, "trace_row_id = any($1::bigint[])", [traceRowIds]);
}

/** @param where condition on rows of `spans`, with numbered placeholders */
export async function selectSpans(client: ClientBase, where: string, values: readonly unknown[]): Promise<TraceSpan[]> {
	const { rows } = await client.query<NodeRow & Omit<TraceSpan, "node" | "traceRowId"> & { trace_row_id: number }>(
		`select ${NODE_COLUMNS}, trace_id, trace_row_id, block_id, ordinal from spans where ${where}`,
		[...values],
	);
	return rows.map((row) => ({
		id: row.id,
		traceRowId: row.trace_row_id,
		trace_id: row.trace_id,
		span_id: row.span_id,
		start_micros: row.start_micros,
		block_id: row.block_id,
		ordinal: row.ordinal,
		node: nodeOfRow(row),
	}));
}
