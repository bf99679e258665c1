import type { DatabaseSync } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import { BATCH_SPANS, takeBatch, type WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { removeFromBlocks } from "./blocks.ts";
import { deleteLogsOfSpan, deleteOrphanedLogs } from "./log-records.ts";
import { rebuildTrace, withdrawSpans } from "./rebuild-traces.ts";

/** Deletes one span, and its trace if it has no other span. */
export function deleteSpan(db: DatabaseSync, transaction: WriteTransaction, spanRowId: number): TraceRow | undefined {
	transaction.spend.keep();
	const found = findRow<Placed & { trace_row_id: number; span_id: Uint8Array }>(
		db.prepare("select id, block_id, trace_row_id, span_id from spans where id = ?"),
		spanRowId,
	);
	const row = found === undefined ? undefined : transaction.traces.traceById(found.trace_row_id);
	if (found === undefined || row === undefined || row.project_id < 0) return undefined;
	if (row.span_count === 1) {
		deleteBatch(db, transaction, [row], "keep");
		return row;
	}
	withdrawSpans(transaction, row, transaction.traces.nodesOfTrace(row.id));
	removeFromBlocks(db, [found]);
	db.prepare("delete from spans where id = ?").run(spanRowId);
	deleteLogsOfSpan(db, row, found.span_id);
	rebuildTrace(transaction, row, "keep");
	transaction.backlog.markShrunk(row);
	return row;
}

/**
 * Deletes spans of a project, those of as many traces as one transaction changes, and traces that have no other span.
 * @returns the changed traces as they were, and the spans that are left for another transaction
 */
export function deleteSpans(
	db: DatabaseSync,
	transaction: WriteTransaction,
	projectId: number,
	spanRowIds: readonly number[],
): { changed: TraceRow[]; count: number; rest: number[] } {
	transaction.spend.keep();
	const inList = "id in (select value from json_each(?))";
	const found = listRows<Placed & { trace_row_id: number; span_id: Uint8Array }>(
		db.prepare(`select id, block_id, trace_row_id, span_id from spans where ${inList}`),
		JSON.stringify(spanRowIds),
	);
	const changed: TraceRow[] = [];
	const whole: TraceRow[] = [];
	const partly: { row: TraceRow; spans: typeof found }[] = [];
	const rest: number[] = [];
	let touched = 0;
	let count = 0;
	for (const [traceRowId, spans] of Map.groupBy(found, (span) => span.trace_row_id)) {
		const row = transaction.traces.traceById(traceRowId);
		if (row === undefined || row.project_id !== projectId) continue;
		if (touched > 0 && touched + row.span_count > BATCH_SPANS) {
			for (const { id } of spans) rest.push(id);
			continue;
		}
		touched += row.span_count;
		count += spans.length;
		changed.push(row);
		if (spans.length === row.span_count) whole.push(row);
		else partly.push({ row, spans });
	}
	deleteBatch(db, transaction, whole, "drop_unannotated");
	for (const { row } of partly) withdrawSpans(transaction, row, transaction.traces.nodesOfTrace(row.id));
	const gone = partly.flatMap(({ spans }) => spans);
	removeFromBlocks(db, gone);
	db.prepare(`delete from spans where ${inList}`).run(JSON.stringify(gone.map(({ id }) => id)));
	for (const { row, spans } of partly) {
		for (const { span_id } of spans) deleteLogsOfSpan(db, row, span_id);
		rebuildTrace(transaction, row, "drop_unannotated");
		transaction.backlog.markShrunk(row);
	}
	return { changed, count, rest };
}

/**
 * Deletes traces from the front of `rows` until a batch is full. A very large one is only detached: it no longer
 * belongs to a project or session, new spans of its id start a new trace, and `purgeDetached` deletes its spans.
 * @returns how many of `rows` are gone
 */
export function deleteBatch(
	db: DatabaseSync,
	transaction: WriteTransaction,
	rows: readonly TraceRow[],
	whenEmpty: WhenEmpty,
): number {
	transaction.spend.keep();
	const { taken, whole, detached } = takeBatch(rows);
	for (const row of detached) detach(db, transaction, row, whenEmpty);
	deleteWholeTraces(db, transaction, whole, whenEmpty);
	return taken;
}

function deleteWholeTraces(
	db: DatabaseSync,
	transaction: WriteTransaction,
	rows: readonly TraceRow[],
	whenEmpty: WhenEmpty,
): void {
	const ids = JSON.stringify(rows.map((row) => row.id));
	const ofTraces = "trace_row_id in (select value from json_each(?))";
	removeFromBlocks(db, listRows<Placed>(db.prepare(`select id, block_id from spans where ${ofTraces}`), ids));
	for (const row of rows) {
		withdrawSpans(transaction, row, transaction.traces.nodesOfTrace(row.id));
		withdrawTrace(transaction, row, whenEmpty);
	}
	db.prepare(`delete from spans where ${ofTraces}`).run(ids);
	db.prepare("delete from traces where id in (select value from json_each(?))").run(ids);
	for (const row of rows) deleteOrphanedLogs(db, row);
}

function withdrawTrace(transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	const root = { kind: row.root_kind, model: row.root_model };
	transaction.hours.addTrace(row.project_id, row.start_micros, root, -1);
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, whenEmpty);
}

/** A detached trace keeps its row, with its project number negated, until its spans are deleted. */
function detach(db: DatabaseSync, transaction: WriteTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	withdrawTrace(transaction, row, whenEmpty);
	db.prepare("update traces set project_id = -project_id, session_row_id = null where id = ?").run(row.id);
	// Others go with their spans.
	db.prepare("delete from error_occurrences where trace_row_id = ?").run(row.id);
}

/** Deletes the spans in a few blocks of a detached trace. @returns whether there may be more to do */
export function purgeDetached(db: DatabaseSync, transaction: WriteTransaction): boolean {
	const row = findRow<Pick<TraceRow, "id" | "project_id" | "trace_id" | "user_id">>(
		db.prepare("select id, project_id, trace_id, user_id from traces where project_id < 0 limit 1"),
	);
	if (row === undefined) return false;
	transaction.spend.keep();
	const nextBlock = db.prepare(
		`select block_id as id, coalesce(first_span, spans.id) as first_span, coalesce(last_span, spans.id) as last_span
		from spans left join blocks on blocks.id = spans.block_id
		where spans.trace_row_id = ? limit 1`,
	);
	const ofTrace = "id between ? and ? and block_id = ? and trace_row_id = ?";
	const inBlock = db.prepare(`select block_id, ${NODE_COLUMNS} from spans where ${ofTrace}`);
	const deleteSpans = db.prepare(`delete from spans where ${ofTrace}`);
	for (let spans = 0; spans < BATCH_SPANS; ) {
		const block = findRow<BlockRange>(nextBlock, row.id);
		if (block === undefined) {
			db.prepare("delete from traces where id = ?").run(row.id);
			deleteOrphanedLogs(db, row);
			return true;
		}
		const range = [block.first_span, block.last_span, block.id, row.id] as const;
		const members = listRows<NodeRow & Placed>(inBlock, ...range);
		withdrawSpans(transaction, row, members.map(nodeOfRow));
		removeFromBlocks(db, members);
		deleteSpans.run(...range);
		spans += members.length;
	}
	return true;
}

interface Placed {
	readonly id: number;
	readonly block_id: number;
}

/** For a missing block, a single span. */
interface BlockRange {
	readonly id: number;
	readonly first_span: number;
	readonly last_span: number;
}
