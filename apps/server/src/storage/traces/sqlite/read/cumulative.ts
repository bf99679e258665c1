import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { cumulativeOfRows } from "#storage/traces/totals/cumulative.ts";
import { NODE_COLUMNS, type NodeRow } from "#storage/traces/totals/span-node.ts";
import type { Cumulative, SpanSummary } from "#storage/traces/trace-store.ts";

/** Totals of each span including its descendants. */
export function findCumulative(db: DatabaseSync, spans: readonly SpanSummary[]): Map<number, Cumulative> {
	const result = new Map<number, Cumulative>();
	for (const [traceRowId, wanted] of Map.groupBy(spans, (span) => span.traceRowId)) {
		const cumulativeOf = cumulativeOfTrace(db, traceRowId);
		for (const { id } of wanted) {
			const cumulative = cumulativeOf(id);
			if (cumulative !== undefined) result.set(id, cumulative);
		}
	}
	return result;
}

/** The cumulative totals of the spans of one trace, by span row number. */
export function cumulativeOfTrace(db: DatabaseSync, traceRowId: number): (id: number) => Cumulative | undefined {
	const statement = db.prepare(`select ${NODE_COLUMNS} from spans where trace_row_id = ?`);
	return cumulativeOfRows(listRows<NodeRow>(statement, traceRowId));
}
