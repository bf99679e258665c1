import type pg from "pg";
import { toStorageError } from "../../../postgres/storage-errors.ts";
import { readStoredTexts } from "../../span-meaning.ts";
import type { HourChange } from "../../totals/hour-changes.ts";
import type { HourRows } from "../write/hour-rows.ts";
import { changeTotals, type TotalsTransaction } from "../write/totals-transaction.ts";
import { deleteOrphanedLogs } from "./log-records.ts";
import { deleteSpentHours } from "./spent-hours.ts";

/**
 * Runs `work` in a transaction on a connection of the pool, with all totals it changed, and again as a whole when it met
 * another one: it must change nothing but the database.
 * @throws StorageUnavailable when the database is; nothing was changed then
 */
export async function mutate<T>(
	pool: pg.Pool,
	hours: HourRows,
	work: (transaction: TotalsTransaction) => Promise<T>,
): Promise<T> {
	let client: pg.PoolClient | undefined;
	let isClean = false;
	try {
		client = await pool.connect();
		let changed: readonly HourChange[] = [];
		let deletedTraceIds: readonly Uint8Array[] = [];
		const result = await changeTotals(
			client,
			readStoredTexts,
			async (transaction) => {
				const done = await work(transaction);
				changed = transaction.hours.list();
				deletedTraceIds = transaction.deletedTraceIds;
				return done;
			},
			hours,
		);
		isClean = await tidyUp(client, changed, deletedTraceIds);
		return result;
	} catch (error) {
		throw toStorageError(error);
	} finally {
		// What state a connection is in after a failure nobody knows: it is closed.
		client?.release(!isClean);
	}
}

/** What was done is committed: rows that are left over do no harm. @returns whether the connection may be used again */
async function tidyUp(
	client: pg.PoolClient,
	changed: readonly HourChange[],
	deletedTraceIds: readonly Uint8Array[],
): Promise<boolean> {
	try {
		await deleteSpentHours(client, changed);
		await deleteOrphanedLogs(client, deletedTraceIds);
		return true;
	} catch {
		return false;
	}
}
