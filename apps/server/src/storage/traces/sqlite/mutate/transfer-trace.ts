import type { DatabaseSync } from "node:sqlite";
import type { SpanNode } from "../write/span-node.ts";
import type { TraceRow } from "../write/trace-statements.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { removeFromBlocks } from "./blocks.ts";
import { rebuildTrace, withdrawSpans } from "./rebuild-trace.ts";

/**
 * Moves a trace to another project, where it joins a trace of the same id and a session of the same id. Spans that the
 * destination has already are dropped. @returns the row that holds the spans now
 */
export function transferTrace(
	db: DatabaseSync,
	transaction: WriteTransaction,
	row: TraceRow,
	destinationProjectId: number,
): number {
	const { traces } = transaction;
	const nodes = traces.nodesOfTrace(row.id);
	withdrawSpans(transaction, row.project_id, nodes);
	const root = { kind: row.root_kind, model: row.root_model };
	transaction.hours.addTrace(row.project_id, row.start_micros, root, -1);
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, "drop");
	const target = traces.findTrace(destinationProjectId, row.trace_id);
	if (target === undefined) {
		transaction.hours.addTrace(destinationProjectId, row.start_micros, root, 1);
		db.prepare("update spans set project_id = ? where trace_row_id = ?").run(destinationProjectId, row.id);
		db.prepare("update traces set project_id = ?, session_row_id = null where id = ?").run(
			destinationProjectId,
			row.id,
		);
		const moved = traces.traceById(row.id);
		if (moved === undefined) throw new Error(`trace row ${row.id} vanished while it was moved`);
		rebuildTrace(transaction, moved, "drop");
		return row.id;
	}
	const present = traces.nodesOfTrace(target.id);
	withdrawSpans(transaction, destinationProjectId, present);
	dropDuplicates(db, nodes, present);
	db.prepare("update spans set project_id = ?, trace_row_id = ? where trace_row_id = ?").run(
		destinationProjectId,
		target.id,
		row.id,
	);
	db.prepare("delete from traces where id = ?").run(row.id);
	rebuildTrace(transaction, target, "drop");
	return target.id;
}

function dropDuplicates(db: DatabaseSync, nodes: readonly SpanNode[], present: readonly SpanNode[]): void {
	const identity = (node: SpanNode) => `${node.spanId} ${node.startMicros} ${node.startNanos}`;
	const known = new Set(present.map(identity));
	const duplicates = nodes.filter((node) => known.has(identity(node)));
	if (duplicates.length === 0) return;
	const ids = JSON.stringify(duplicates.map((node) => node.id));
	const where = "id in (select value from json_each(?))";
	const placed = db.prepare(`select id, block_id from spans where ${where}`).all(ids);
	removeFromBlocks(db, placed as unknown as { id: number; block_id: number }[]);
	db.prepare(`delete from spans where ${where}`).run(ids);
}
