import type { DatabaseSync } from "node:sqlite";
import type { SqliteReferences } from "#storage/references/sqlite-references.ts";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import { findDuplicates } from "#storage/traces/mutate/duplicates.ts";
import type { MergedSession } from "#storage/traces/references.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { removeFromBlocks } from "./blocks.ts";
import { moveLogs } from "./log-records.ts";
import { rebuildTrace, withdrawSpans } from "./rebuild-traces.ts";
import type { MutationTransaction } from "./transaction.ts";

/**
 * Moves a trace to another project, where it is merged with a trace of the same id, and its session with one of the
 * same id. Spans that the destination has already are dropped. Annotations move with their targets.
 * @returns the row that has the spans now
 */
export function transferTrace(
	db: DatabaseSync,
	transaction: MutationTransaction,
	row: TraceRow,
	destinationProjectId: number,
): number {
	const { traces, references } = transaction;
	const nodes = traces.nodesOfTrace(row.id);
	withdrawSpans(transaction, row, nodes);
	const root = { kind: row.root_kind, model: row.root_model };
	transaction.hours.addTrace(row.project_id, row.start_micros, root, -1);
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, "drop_unannotated");
	moveLogs(db, row.trace_id, { from: row.project_id, to: destinationProjectId });
	const target = traces.findTrace(destinationProjectId, row.trace_id);
	if (target === undefined) {
		transaction.hours.addTrace(destinationProjectId, row.start_micros, root, 1);
		db.prepare("update spans set project_id = ? where trace_row_id = ?").run(destinationProjectId, row.id);
		db.prepare("update traces set project_id = ?, session_row_id = null where id = ?").run(
			destinationProjectId,
			row.id,
		);
		references.traceMoved(db, row.id, destinationProjectId);
		const moved = traces.traceById(row.id);
		if (moved === undefined) throw new Error(`trace row ${row.id} vanished while it was moved`);
		rebuildTrace(transaction, moved, "drop_unannotated");
		mergeSession(db, references, row, row.id);
		return row.id;
	}
	const present = traces.nodesOfTrace(target.id);
	withdrawSpans(transaction, target, present);
	const duplicates = findDuplicates(nodes, present);
	references.traceMerged(db, { from: row.id, to: target.id, projectId: destinationProjectId, spans: duplicates });
	dropSpans(db, [...duplicates.keys()]);
	db.prepare("update spans set project_id = ?, trace_row_id = ? where trace_row_id = ?").run(
		destinationProjectId,
		target.id,
		row.id,
	);
	db.prepare("delete from traces where id = ?").run(row.id);
	rebuildTrace(transaction, target, "drop_unannotated");
	mergeSession(db, references, row, target.id);
	return target.id;
}

/** A session that became empty is merged into the one of the same id that has its last trace now. */
function mergeSession(
	db: DatabaseSync,
	references: SqliteReferences,
	{ session_row_id: from }: TraceRow,
	traceRowId: number,
): void {
	if (from === null) return;
	const merged = findRow<MergedSession>(
		db.prepare(
			`select left_behind.id as "from", now.id as "to", now.project_id as projectId
			from traces join sessions as now on now.id = traces.session_row_id
				join sessions as left_behind on left_behind.session_id = now.session_id and left_behind.id = ?
			where traces.id = ? and not exists (select 1 from traces where session_row_id = left_behind.id)`,
		),
		from,
		traceRowId,
	);
	if (merged !== undefined) references.sessionMerged(db, merged);
}

function dropSpans(db: DatabaseSync, rowIds: readonly number[]): void {
	if (rowIds.length === 0) return;
	const ids = JSON.stringify(rowIds);
	const where = "id in (select value from json_each(?))";
	removeFromBlocks(db, listRows(db.prepare(`select id, block_id from spans where ${where}`), ids));
	db.prepare(`delete from spans where ${where}`).run(ids);
}
