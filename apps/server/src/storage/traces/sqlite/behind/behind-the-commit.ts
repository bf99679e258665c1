import type { DatabaseSync } from "node:sqlite";
import { toStorageError } from "../../../sqlite/storage-errors.ts";
import type { WriteLock } from "../../../sqlite/write-lock.ts";
import { StorageUnavailable } from "../../span-batch.ts";
import { dropDeadRun, SpanLookupFiller } from "./fill-span-lookup.ts";

export interface BehindOptions {
	readonly textIndex: boolean;
	/** Whether this thread has a transaction open. */
	readonly isBusy: () => boolean;
}

/** How long after something was committed to look for work, and how long to rest between two steps. */
const WAKE_MS = 250;
const REST_MS = 5;
const AFTER_FAILURE_MS = 10_000;
/** Free pages that one step gives back to the file system: 8 MiB. */
const VACUUM_PAGES = 512;
const LEAST_FREE_PAGES = 64;

/** Work that need not be part of a commit, done in small steps between the writes of others. */
export class BehindTheCommit {
	readonly #db: DatabaseSync;
	readonly #lock: WriteLock;
	readonly #options: BehindOptions;
	readonly #lookup: SpanLookupFiller;
	#timer: NodeJS.Timeout | undefined;
	#isStopped = false;

	constructor(db: DatabaseSync, lock: WriteLock, options: BehindOptions) {
		this.#db = db;
		this.#lock = lock;
		this.#options = options;
		this.#lookup = new SpanLookupFiller(db);
		this.wake();
	}

	wake(): void {
		this.#schedule(WAKE_MS);
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	#schedule(ms: number): void {
		if (this.#isStopped || this.#timer !== undefined) return;
		this.#timer = setTimeout(() => {
			this.#timer = undefined;
			const rest = this.#step();
			if (rest !== undefined) this.#schedule(rest);
		}, ms);
	}

	/** @returns when to come back, in milliseconds; undefined when nothing is left to do */
	#step(): number | undefined {
		if (this.#options.isBusy()) return WAKE_MS;
		try {
			return this.#work() ? REST_MS : undefined;
		} catch (caught) {
			const error = toStorageError(caught);
			// What is behind the commit can wait until there is room again.
			if (error instanceof StorageUnavailable) return AFTER_FAILURE_MS;
			throw error;
		}
	}

	/** @returns whether something was done */
	#work(): boolean {
		if (this.#lookup.prepare()) {
			try {
				this.#inTransaction(() => this.#lookup.write());
			} catch (error) {
				this.#lookup.abandon();
				throw error;
			}
			return true;
		}
		if (this.#inTransaction(() => dropDeadRun(this.#db))) return true;
		return this.#giveSpaceBack();
	}

	#giveSpaceBack(): boolean {
		const free = Number(this.#db.prepare("pragma freelist_count").get()?.["freelist_count"]);
		if (free < LEAST_FREE_PAGES) return false;
		this.#locked(() => this.#db.exec(`pragma incremental_vacuum(${VACUUM_PAGES})`));
		// The file gets shorter when the log is copied into it.
		if (free <= VACUUM_PAGES) this.#locked(() => this.#db.exec("pragma wal_checkpoint(passive)"));
		return true;
	}

	#inTransaction<T>(work: () => T): T {
		return this.#locked(() => {
			this.#db.exec("begin immediate");
			try {
				const result = work();
				this.#db.exec("commit");
				return result;
			} finally {
				if (this.#db.isTransaction) this.#db.exec("rollback");
			}
		});
	}

	#locked<T>(work: () => T): T {
		this.#lock.acquire();
		try {
			return work();
		} finally {
			this.#lock.release();
		}
	}
}
