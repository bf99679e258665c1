import { type Kysely, sql, type Transaction } from "kysely";
import type pg from "pg";
import { readersGone } from "#base/readers-gone.ts";
import { Semaphore } from "#base/semaphore.ts";
import type { Database } from "../database.ts";
import type { Tables } from "../schema.ts";
import { StorageUnavailable } from "../traces/span-batch.ts";
import { kyselyOn } from "./kysely-driver.ts";
import { isConflict, isViolation } from "./storage-errors.ts";

/** After so many tries a transaction that still conflicts fails. */
const MOST_TRIES = 12;
/** A violated constraint is a mistake, unless a concurrent transaction wrote the other row: a retry sees it. */
const MOST_TRIES_OF_VIOLATIONS = 3;

/**
 * The metadata tables in PostgreSQL. Transactions are serializable, as on SQLite, so that decisions rest on data that
 * still holds; one that conflicts with another process runs again. Within this process one runs at a time.
 */
export class PostgresDatabase implements Database {
	readonly isShared = true;
	readonly read: Kysely<Tables>;
	readonly #pool: pg.Pool;
	readonly #mutex = new Semaphore(1);

	constructor(pool: pg.Pool) {
		this.#pool = pool;
		this.read = kyselyOn(pool);
	}

	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
		return readersGone.exit(() => this.#mutex.run(() => this.#tryToWrite(work)));
	}

	/**
	 * While all connections are in use the database answers; if it goes down, the probe of `PostgresCluster` closes them.
	 */
	async check(): Promise<void> {
		const { totalCount, idleCount, options } = this.#pool;
		if (idleCount === 0 && totalCount >= options.max) return;
		try {
			await sql`select 1`.execute(this.read);
		} catch (error) {
			if (!(error instanceof StorageUnavailable && error.reason === "busy")) throw error;
		}
	}

	async #tryToWrite<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries += 1) {
			try {
				return await this.read.transaction().setIsolationLevel("serializable").execute(work);
			} catch (error) {
				if (isConflict(error) && tries === MOST_TRIES) throw new StorageUnavailable("failing", error);
				const mayMeetOthers = isConflict(error) || (isViolation(error) && tries < MOST_TRIES_OF_VIOLATIONS);
				if (!mayMeetOthers) throw error;
				await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** Math.min(tries, 6)));
			}
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#mutex.run(async () => undefined);
	}
}
