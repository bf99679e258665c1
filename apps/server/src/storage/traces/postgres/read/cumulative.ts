import { chunksOf } from "#base/chunks.ts";
import { cumulativeOfRows } from "#storage/traces/totals/cumulative.ts";
import { NODE_COLUMNS, type NodeRow } from "#storage/traces/totals/span-node.ts";
import type { Cumulative, SpanSummary } from "#storage/traces/trace-store.ts";
import { type Queryable, query } from "./query.ts";

/** Traces whose spans are read together. */
const TRACES_AT_ONCE = 100;

/** Totals of each span including its descendants. */
export async function findCumulative(
	client: Queryable,
	spans: readonly SpanSummary[],
): Promise<Map<number, Cumulative>> {
	const result = new Map<number, Cumulative>();
	const wanted = [...Map.groupBy(spans, (span) => span.traceRowId)];
	for (const part of chunksOf(wanted, TRACES_AT_ONCE)) {
		const traces = await cumulativeOfTraces(
			client,
			part.map(([traceRowId]) => traceRowId),
		);
		for (const [traceRowId, members] of part)
			for (const { id } of members) {
				const cumulative = traces.get(traceRowId)?.(id);
				if (cumulative !== undefined) result.set(id, cumulative);
			}
	}
	return result;
}

/** The cumulative totals of the spans of some traces, by the row numbers of trace and span. */
export async function cumulativeOfTraces(
	client: Queryable,
	traceRowIds: readonly number[],
): Promise<Map<number, (id: number) => Cumulative | undefined>> {
	const columns = NODE_COLUMNS.split(", ").map((column) => `spans.${column}`);
	const rows = await query<NodeRow & { trace_row_id: number }>(
		client,
		`select spans.trace_row_id, ${columns.join(", ")} from spans
		where trace_row_id = any(?::bigint[])
			and start_micros >= (select min(start_micros) from traces where id = any(?::bigint[]))`,
		[traceRowIds, traceRowIds],
	);
	const byTrace = Map.groupBy(rows, (row) => row.trace_row_id);
	return new Map(Array.from(byTrace, ([traceRowId, members]) => [traceRowId, cumulativeOfRows(members)]));
}
