import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { TRACE_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import {
	BEFORE_CURSOR,
	beforeCursorParams,
	CURSOR_COLUMNS,
	type ExpiredTraces,
	type TraceCursor,
} from "#storage/traces/expiry/expired-traces.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { deleteBatch } from "./delete-traces.ts";

/** Rows that one transaction reads. */
const BATCH_ROWS = 250;

/**
 * Deletes the next batch of expired traces. @returns the deleted traces, how many are kept because they are annotated,
 * and where to continue
 */
export function deleteExpired(
	db: DatabaseSync,
	transaction: WriteTransaction,
	{ projectId, keepAnnotated, after, before }: ExpiredTraces,
): { deleted: readonly TraceRow[]; kept: number; after: TraceCursor; done: boolean } {
	const rows = listRows<TraceRow & { annotated: 0 | 1 }>(
		db.prepare(
			`select traces.*, ${keepAnnotated ? TRACE_IS_ANNOTATED : "0"} as annotated from traces
			where project_id = ? and start_micros >= ? and (${CURSOR_COLUMNS}) > (?, ?, ?) and ${BEFORE_CURSOR}
			order by ${CURSOR_COLUMNS} limit ${BATCH_ROWS}`,
		),
		projectId,
		...beforeCursorParams(after),
		...beforeCursorParams(before),
	);
	const going = rows.filter((row) => row.annotated === 0);
	const deleted = going.slice(0, deleteBatch(db, transaction, going, "drop"));
	const next = going[deleted.length];
	// What follows the last trace of a full batch is left to the next one.
	const dealtWith = next === undefined ? rows : rows.slice(0, rows.indexOf(next));
	const last = dealtWith.at(-1);
	return {
		deleted,
		kept: dealtWith.length - deleted.length,
		after: last === undefined ? after : [last.start_micros, last.end_micros - last.start_micros, last.id],
		done: next === undefined && rows.length < BATCH_ROWS,
	};
}
