import type pg from "pg";
import { toStorageError } from "../../../postgres/storage-errors.ts";
import { readStoredTexts } from "../../span-meaning.ts";
import type { HourRows } from "../write/hour-rows.ts";
import { changeTotals, type TotalsTransaction } from "../write/totals-transaction.ts";

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
		const result = await changeTotals(client, readStoredTexts, work, hours);
		isClean = true;
		return result;
	} catch (error) {
		throw toStorageError(error);
	} finally {
		// What state a connection is in after a failure nobody knows: it is closed.
		client?.release(!isClean);
	}
}
