import type { DatabaseSync } from "node:sqlite";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "../write/span-node.ts";
import type { TraceRow } from "../write/trace-statements.ts";
import type { WhenEmpty } from "../write/write-trace.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { removeFromBlocks } from "./blocks.ts";
import { deleteOrphanedLogs, rebuildTrace, withdrawSpans } from "./rebuild-trace.ts";

/** About this many spans go in one transaction, so that writing waits only shortly. */
export const BATCH_SPANS = 2_000;

/** Deletes one span; a trace that has no other goes with it. */
export function deleteSpan(db: DatabaseSync, transaction: WriteTransaction, spanRowId: number): TraceRow | undefined {
	const found = db.prepare("select trace_row_id, span_id from spans where id = ?").get(spanRowId);
	const row = found === undefined ? undefined : transaction.traces.traceById(Number(found["trace_row_id"]));
	if (found === undefined || row === undefined || row.project_id < 0) return undefined;
	if (row.span_count === 1) {
		deleteWholeTrace(db, transaction, row, "keep");
		return row;
	}
	withdrawSpans(transaction, row.project_id, transaction.traces.nodesOfTrace(row.id));
	removeFromBlocks(db, row.id, new Set([spanRowId]));
	db.prepare("delete from spans where id = ?").run(spanRowId);
	deleteOrphanedLogs(db, row.trace_id, found["span_id"] as Uint8Array);
	rebuildTrace(transaction, row, "keep");
	return row;
}

/**
 * Deletes traces from the front of `rows` until a batch is full; a very large one is only detached: it no longer
 * belongs to a project or session, new spans of its id start a new trace, and `purgeDetached` takes it apart.
 * @returns how many of `rows` are gone
 */
export function deleteBatch(
	db: DatabaseSync,
	transaction: WriteTransaction,
	rows: readonly TraceRow[],
	whenEmpty: WhenEmpty,
): number {
	let spans = 0;
	let deleted = 0;
	for (const row of rows) {
		if (deleted > 0 && spans + row.span_count > BATCH_SPANS) break;
		if (row.span_count > BATCH_SPANS) detach(db, transaction, row, whenEmpty);
		else {
			deleteWholeTrace(db, transaction, row, whenEmpty);
			spans += row.span_count;
		}
		deleted += 1;
	}
	return deleted;
}

function deleteWholeTrace(db: DatabaseSync, transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	const nodes = transaction.traces.nodesOfTrace(row.id);
	withdrawSpans(transaction, row.project_id, nodes);
	withdrawTrace(transaction, row, whenEmpty);
	db.prepare("delete from spans where trace_row_id = ?").run(row.id);
	forgetBlocks(db, "trace_row_id = ?", row.id);
	db.prepare("delete from traces where id = ?").run(row.id);
	deleteOrphanedLogs(db, row.trace_id);
}

function withdrawTrace(transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	const root = { kind: row.root_kind, model: row.root_model };
	transaction.hours.addTrace(row.project_id, row.start_micros, root, -1);
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, whenEmpty);
}

/** A detached trace keeps its row under the negative number of its project until its spans are gone. */
function detach(db: DatabaseSync, transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	withdrawTrace(transaction, row, whenEmpty);
	db.prepare("update traces set project_id = -project_id, session_row_id = null where id = ?").run(row.id);
}

/** Takes the next blocks of a detached trace away. @returns whether there may be more to do */
export function purgeDetached(db: DatabaseSync, transaction: WriteTransaction): boolean {
	const row = db.prepare("select id, project_id, trace_id from traces where project_id < 0 limit 1").get();
	if (row === undefined) return false;
	const traceRowId = Number(row["id"]);
	const blocks = db
		.prepare("select id, first_span, last_span from blocks where trace_row_id = ? limit 50")
		.all(traceRowId) as unknown as { id: number; first_span: number; last_span: number }[];
	const inBlock = db.prepare(`select ${NODE_COLUMNS} from spans where id between ? and ? and block_id = ?`);
	const deleteSpans = db.prepare("delete from spans where id between ? and ? and block_id = ?");
	for (const { id, first_span, last_span } of blocks) {
		const rows = inBlock.all(first_span, last_span, id) as unknown as NodeRow[];
		withdrawSpans(transaction, -Number(row["project_id"]), rows.map(nodeOfRow));
		deleteSpans.run(first_span, last_span, id);
		forgetBlocks(db, "id = ?", id);
	}
	if (blocks.length > 0) return true;
	db.prepare("delete from traces where id = ?").run(traceRowId);
	deleteOrphanedLogs(db, row["trace_id"] as Uint8Array);
	return true;
}

function forgetBlocks(db: DatabaseSync, where: "trace_row_id = ?" | "id = ?", value: number): void {
	db.prepare(`delete from blocks where ${where}`).run(value);
}
