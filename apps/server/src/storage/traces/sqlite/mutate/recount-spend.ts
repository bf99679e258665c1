import type { DatabaseSync } from "node:sqlite";
import { eachRow, listRows } from "#storage/sqlite/rows.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import { QUARTER_MICROS, SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { isNothing, SPEND_ROW_COLUMNS, type SpendRow, takeStored } from "#storage/traces/totals/spend-recount.ts";
import { SELECT_SPEND_STATE, type SpendState, spendStateOf } from "#storage/traces/totals/spend-state.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";

export function readSpendState(db: DatabaseSync): SpendState {
	return spendStateOf(listRows<{ name: string; value: string }>(db.prepare(SELECT_SPEND_STATE)));
}

/** Whether the ledger says of a quarter what its spans give, in one view of the file. */
export function isSpendRight(db: DatabaseSync, projectId: number, quarter: number): boolean {
	db.exec("begin");
	try {
		const left = new SpendChanges();
		addDifference(db, left, projectId, quarter);
		return left.list().every(isNothing);
	} finally {
		db.exec("rollback");
	}
}

/** Adds to the ledger what it lacks of a quarter. */
export function correctSpend(
	db: DatabaseSync,
	transaction: WriteTransaction,
	projectId: number,
	quarter: number,
): void {
	transaction.run(() => addDifference(db, transaction.spend, projectId, quarter));
}

/** Spans of a trace that is being deleted count until they are gone. */
function addDifference(db: DatabaseSync, left: SpendChanges, projectId: number, quarter: number): void {
	const spans = db.prepare(
		`select ${NODE_COLUMNS}, (select user_id from traces where traces.id = spans.trace_row_id) as trace_user
		from spans where project_id = ? and start_micros >= ? and start_micros < ?`,
	);
	const range = [projectId, quarter * QUARTER_MICROS, (quarter + 1) * QUARTER_MICROS] as const;
	for (const row of eachRow<NodeRow & { readonly trace_user: string | null }>(spans, ...range))
		left.addSpan(projectId, nodeOfRow(row), row.trace_user, 1);
	const ledger = db.prepare(`select ${SPEND_ROW_COLUMNS} from spend where project_id = ? and quarter = ?`);
	takeStored(left, projectId, listRows<SpendRow>(ledger, projectId, quarter));
}
