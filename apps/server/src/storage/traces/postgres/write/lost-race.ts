import { type ClientBase, DatabaseError } from "pg";
import { isConflict, toStorageError } from "#storage/postgres/storage-errors.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";

/** A concurrent transaction invalidated an assumption of this one, which will succeed when run again. */
export class LostRace extends Error {
	override readonly name = "LostRace";
}

const MOST_TRIES = 20;

/**
 * Runs `work` in a transaction, and again after a conflict: it must have no effect beyond the database.
 * @throws StorageUnavailable when it conflicts every time
 */
export async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries += 1) {
		try {
			await client.query("begin isolation level read committed");
			const result = await work();
			await client.query("commit");
			return result;
		} catch (error) {
			// A lost connection has nothing to roll back, and may never answer.
			if (!isConnectionLost(error)) await client.query("rollback").catch(() => undefined);
			if (!mayBeTriedAgain(error)) throw error;
			if (tries === MOST_TRIES) throw new StorageUnavailable("failing", error);
			await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 * 2 ** Math.min(tries, 8)));
		}
	}
}

function isConnectionLost(error: unknown): boolean {
	return !(error instanceof DatabaseError) && toStorageError(error) instanceof StorageUnavailable;
}

/** Includes conflicts with rows that others have inserted or are about to delete. */
function mayBeTriedAgain(error: unknown): boolean {
	return error instanceof LostRace || isConflict(error) || isDuplicate(error) || isOfNewPartition(error);
}

/** A row was on its way into the default partition while the partition for its month was made. */
function isOfNewPartition(error: unknown): boolean {
	return error instanceof DatabaseError && error.code === "23514" && error.constraint === undefined;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isDuplicate(error: unknown): boolean {
	return error instanceof DatabaseError && error.code === "23505";
}
