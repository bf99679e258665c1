import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { cumulativeOfRows } from "#storage/traces/totals/cumulative.ts";
import { NODE_COLUMNS, type NodeRow } from "#storage/traces/totals/span-node.ts";
import type { Cumulative, SpanSummary } from "#storage/traces/trace-store.ts";

/** With so many spans of a trace, its spans are read at once; of fewer, it is first seen which have no children. */
const SEVERAL = 3;

const OF_TRACE = `select ${NODE_COLUMNS} from spans where trace_row_id = ?`;
const LEAF_COLUMNS = NODE_COLUMNS.replace(/^id,/, "spans.id as id,");

/** Totals of each span including its descendants. */
export function findCumulative(db: DatabaseSync, spans: readonly SpanSummary[]): Map<number, Cumulative> {
	const byTrace = Map.groupBy(spans, (span) => span.traceRowId);
	const result = cumulativeOfLeaves(
		db,
		[...byTrace.values()].filter(({ length }) => length < SEVERAL).flatMap((few) => few.map(({ id }) => id)),
	);
	const ofTrace = db.prepare(OF_TRACE);
	for (const [traceRowId, wanted] of byTrace) {
		if (wanted.every(({ id }) => result.has(id))) continue;
		const cumulativeOf = cumulativeOfRows(listRows<NodeRow>(ofTrace, traceRowId));
		for (const { id } of wanted) {
			const cumulative = cumulativeOf(id);
			if (cumulative !== undefined) result.set(id, cumulative);
		}
	}
	return result;
}

/** Of those of these spans that have no children. */
function cumulativeOfLeaves(db: DatabaseSync, ids: readonly number[]): Map<number, Cumulative> {
	const leaves = db.prepare(
		`select ${LEAF_COLUMNS} from json_each(?) as wanted cross join spans on spans.id = wanted.value
		where not exists (
			select 1 from spans as child indexed by spans_by_parent
			where child.trace_row_id = spans.trace_row_id and child.parent_span_id = spans.span_id
		)`,
	);
	const result = new Map<number, Cumulative>();
	for (const row of ids.length === 0 ? [] : listRows<NodeRow>(leaves, JSON.stringify(ids))) {
		const own = cumulativeOfRows([row])(row.id);
		if (own !== undefined) result.set(row.id, own);
	}
	return result;
}

/** The cumulative totals of the spans of one trace, by span row number. */
export function cumulativeOfTrace(db: DatabaseSync, traceRowId: number): (id: number) => Cumulative | undefined {
	return cumulativeOfRows(listRows<NodeRow>(db.prepare(OF_TRACE), traceRowId));
}
