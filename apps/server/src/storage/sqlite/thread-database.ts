import type { DatabaseSync } from "node:sqlite";
import type { Kysely, Transaction } from "kysely";
import { Semaphore } from "#base/semaphore.ts";
import type { Database } from "../database.ts";
import type { Tables } from "../schema.ts";
import { openForWriting } from "./connection.ts";
import { kyselyOn } from "./kysely-driver.ts";
import { MetadataTransaction } from "./metadata-transaction.ts";
import { runQuery } from "./query.ts";
import { toStorageError } from "./storage-errors.ts";
import { WriteLock } from "./write-lock.ts";

const CACHE_MEBIBYTES = 4;

/** By the memory of the write lock: a thread that waited for the lock while it has it would wait for ever. */
const writesOfThread = new WeakMap<SharedArrayBuffer, Semaphore>();

/** The metadata tables, on a connection of this thread. It blocks its thread while it waits, so use it in a worker. */
export class ThreadDatabase implements Omit<Database, "check"> {
	readonly isShared = false;
	readonly read: Kysely<Tables>;
	readonly #file: DatabaseSync;
	readonly #writing: Kysely<Tables>;
	readonly #writes: Semaphore;

	/** @param mutex memory of the write lock of the file */
	constructor(path: string, mutex: SharedArrayBuffer) {
		this.#writes = writesOfThread.get(mutex) ?? new Semaphore(1);
		writesOfThread.set(mutex, this.#writes);
		this.#file = openForWriting(path, CACHE_MEBIBYTES);
		const transaction = new MetadataTransaction(this.#file, new WriteLock(mutex, false));
		this.read = kyselyOn({
			run: async (sql, parameters) => {
				try {
					return runQuery(this.#file, sql, parameters);
				} catch (error) {
					throw toStorageError(error);
				}
			},
		});
		this.#writing = kyselyOn({
			run: async (sql, parameters) => transaction.query(sql, parameters),
			begin: async () => transaction.begin(),
			commit: async () => transaction.commit(),
			rollback: async () => transaction.rollback(),
		});
	}

	/** `work` waits for nothing but the database: other threads wait for it meanwhile. */
	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
		return this.#writes.run(() => this.#writing.transaction().execute(work));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#writes.run(async () => this.#file.close());
	}
}
