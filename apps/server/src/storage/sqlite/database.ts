import { type Kysely, sql, type Transaction } from "kysely";
import type { Semaphore } from "#base/semaphore.ts";
import type { Database } from "../database.ts";
import type { Tables } from "../schema.ts";
import type { DatabaseWorkers } from "./database-workers.ts";
import { kyselyOn } from "./kysely-driver.ts";

/** The metadata tables of the SQLite file; every statement runs on a database thread. */
export class SqliteDatabase implements Database {
	readonly isShared = false;
	readonly read: Kysely<Tables>;
	readonly #writing: Kysely<Tables>;
	readonly #writes: Semaphore;

	constructor(workers: DatabaseWorkers, writes: Semaphore) {
		this.#writes = writes;
		this.read = kyselyOn({ run: (sql, parameters) => workers.reader.call("query", sql, parameters) });
		this.#writing = kyselyOn({
			run: (sql, parameters) => workers.writer.call("query", sql, parameters),
			begin: () => workers.writer.call("begin"),
			commit: () => workers.writer.call("commit"),
			rollback: () => workers.writer.call("rollback"),
		});
	}

	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
		return this.#writes.run(() => this.#writing.transaction().execute(work));
	}

	async check(): Promise<void> {
		await sql`select 1`.execute(this.read);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#writes.run(async () => undefined);
	}
}
