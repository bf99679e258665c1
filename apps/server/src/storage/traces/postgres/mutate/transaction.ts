import type pg from "pg";
import { toStorageError } from "../../../postgres/storage-errors.ts";
import { HourChanges } from "../../totals/hour-changes.ts";
import { SessionChanges } from "../../totals/session-changes.ts";
import type { HourRows } from "../write/hour-rows.ts";
import { inTransaction } from "../write/lost-race.ts";
import { type SessionKey, writeSessions } from "../write/session-rows.ts";

/** One try of a transaction, with the totals that it changes. */
export class MutationTransaction {
	readonly client: pg.PoolClient;
	readonly hours = new HourChanges();
	readonly sessions = new SessionChanges();
	/** Of sessions that gain something, by row number. */
	readonly sessionKeys = new Map<number, SessionKey>();

	constructor(client: pg.PoolClient) {
		this.client = client;
	}

	/** Writes what sessions gained and lost so far, after the rows of their traces. */
	async writeSessions(): Promise<void> {
		await writeSessions(this.client, this.sessions, this.sessionKeys);
		this.sessions.clear();
	}
}

/**
 * Runs `work` in a transaction with all totals it changed, and again as a whole when it met another one: it must change
 * nothing but the database.
 * @throws StorageUnavailable when the database is; nothing was changed then
 */
export async function mutate<T>(
	pool: pg.Pool,
	hours: HourRows,
	work: (transaction: MutationTransaction) => Promise<T>,
): Promise<T> {
	const client = await connect(pool);
	let failure: unknown;
	try {
		const result = await inTransaction(client, async () => {
			hours.rolledBack();
			const transaction = new MutationTransaction(client);
			const done = await work(transaction);
			await transaction.writeSessions();
			await hours.add(client, transaction.hours.list());
			return done;
		});
		hours.committed();
		return result;
	} catch (error) {
		failure = error;
		hours.rolledBack();
		throw toStorageError(error);
	} finally {
		// What state the connection is in after a failure nobody knows: it is closed.
		client.release(failure !== undefined);
	}
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
	try {
		return await pool.connect();
	} catch (error) {
		throw toStorageError(error);
	}
}
