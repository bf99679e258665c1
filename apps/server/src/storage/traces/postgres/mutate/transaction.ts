import type pg from "pg";
import { isConflict, toStorageError } from "../../../postgres/storage-errors.ts";

/** A transaction that meets others so often is given up. */
const MOST_TRIES = 12;
/** Somebody else inserted the row first. */
const UNIQUE_VIOLATION = "23505";

/** Rows are not what they were a moment ago: another process was first. The transaction is to be run again. */
export class LostRace extends Error {
	override readonly name = "LostRace";
}

/**
 * Runs `work` in one transaction, again when it met one of another process; it must change nothing but the database.
 * @throws StorageUnavailable when the database is; nothing was changed then
 */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries += 1) {
		try {
			return await tryTransaction(pool, work);
		} catch (error) {
			if (!mayGoBetter(error) || tries === MOST_TRIES) throw toStorageError(error);
			await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** Math.min(tries, 6)));
		}
	}
}

async function tryTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
	const client = await pool.connect();
	let broken: Error | undefined;
	try {
		await client.query("begin");
		try {
			const result = await work(client);
			await client.query("commit");
			return result;
		} catch (error) {
			await client.query("rollback").catch((failure: Error) => {
				broken = failure;
			});
			throw error;
		}
	} finally {
		client.release(broken);
	}
}

function mayGoBetter(error: unknown): boolean {
	if (error instanceof LostRace || isConflict(error)) return true;
	return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}
