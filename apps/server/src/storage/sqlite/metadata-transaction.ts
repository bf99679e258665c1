import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type QueryAnswer, runQuery } from "./query.ts";
import { toStorageError } from "./storage-errors.ts";
import type { WriteLock } from "./write-lock.ts";

/** Longest transaction, as writing spans waits meanwhile; longer ones are rolled back. */
const LONGEST_MS = 30_000;

/** A transaction driven by the main thread, one message per statement. */
export class MetadataTransaction {
	readonly #db: DatabaseSync;
	readonly #lock: WriteLock;
	#timer: NodeJS.Timeout | undefined;

	constructor(db: DatabaseSync, lock: WriteLock) {
		this.#db = db;
		this.#lock = lock;
	}

	get isOpen(): boolean {
		return this.#timer !== undefined;
	}

	begin(): void {
		this.#lock.acquire();
		try {
			this.#db.exec("begin immediate");
		} catch (error) {
			this.#lock.release();
			throw toStorageError(error);
		}
		this.#timer = setTimeout(() => this.#end(), LONGEST_MS);
	}

	query(sql: string, parameters: readonly SQLInputValue[]): QueryAnswer {
		this.#assertOpen();
		try {
			return runQuery(this.#db, sql, parameters);
		} catch (error) {
			throw toStorageError(error);
		}
	}

	commit(): void {
		this.#assertOpen();
		try {
			this.#db.exec("commit");
		} catch (error) {
			throw toStorageError(error);
		} finally {
			this.#end();
		}
	}

	rollback(): void {
		this.abandon();
	}

	/** Rolls back the open transaction, if any. */
	abandon(): void {
		if (this.isOpen) this.#end();
	}

	#end(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		try {
			if (this.#db.isTransaction) this.#db.exec("rollback");
		} finally {
			this.#lock.release();
		}
	}

	#assertOpen(): void {
		if (!this.isOpen) throw new Error(`no transaction is open: it ended, or took longer than ${LONGEST_MS / 1_000} s`);
	}
}
