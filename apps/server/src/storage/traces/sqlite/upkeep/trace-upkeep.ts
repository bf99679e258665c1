import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { getRow } from "#storage/sqlite/rows.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import type { WriteLock } from "#storage/sqlite/write-lock.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { SignatureGrouper } from "../text/group-signatures.ts";
import { BlockSigner } from "../text/sign-blocks.ts";
import { dropDeadRun, hasDeadRun, SpanLookupFiller } from "./fill-span-lookup.ts";
import { SpanZoneFiller } from "./fill-span-zones.ts";
import { BlockMerger } from "./merge-blocks.ts";
import { DeploymentReader } from "./read-deployments.ts";
import { UnclaimedLogs } from "./unclaimed-logs.ts";

export interface UpkeepOptions {
	readonly textIndex: boolean;
	/** Whether this thread has a transaction open. */
	readonly isBusy: () => boolean;
}

/** How long after a commit to look for work, and how long to pause between two steps. */
const WAKE_MS = 250;
const REST_MS = 5;
const AFTER_FAILURE_MS = 10_000;
/** Free pages that one step returns to the file system: 8 MiB. */
const VACUUM_PAGES = 512;
const LEAST_FREE_PAGES = 64;
/** A larger write-ahead log is truncated when nothing has been written for a while; growing it again costs commits. */
const LARGEST_QUIET_LOG = 4_194_304;
const QUIET_MS = 2_000;

/** Work whose parts are prepared without a lock, and written in a transaction each. */
interface Step {
	prepare(): boolean;
	write(): void;
	/** Present where what was prepared is kept. */
	abandon?(): void;
}

/** Work that need not be part of a commit, in small steps between other writes. */
export class TraceUpkeep {
	readonly #db: DatabaseSync;
	readonly #lock: WriteLock;
	readonly #options: UpkeepOptions;
	readonly #lookup: SpanLookupFiller;
	readonly #zones: SpanZoneFiller;
	readonly #signatures: SignatureGrouper;
	readonly #signer: BlockSigner | undefined;
	readonly #merger: BlockMerger;
	readonly #deployments: DeploymentReader;
	readonly #logs: UnclaimedLogs;
	#timer: NodeJS.Timeout | undefined;
	#wokenAt = 0;
	#isStopped = false;

	constructor(db: DatabaseSync, lock: WriteLock, options: UpkeepOptions) {
		this.#db = db;
		this.#lock = lock;
		this.#options = options;
		this.#lookup = new SpanLookupFiller(db);
		this.#zones = new SpanZoneFiller(db);
		this.#merger = new BlockMerger(db, options.textIndex);
		this.#deployments = new DeploymentReader(db);
		this.#logs = new UnclaimedLogs(db);
		this.#signatures = new SignatureGrouper(db);
		this.#signer = options.textIndex ? new BlockSigner(db) : undefined;
		this.wake();
	}

	wake(): void {
		this.#wokenAt = performance.now();
		this.#schedule(WAKE_MS);
	}

	/** Traces were deleted: their signatures may go. */
	noteDeletion(): void {
		this.#signatures.noteDeletion();
		this.wake();
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

	/** @returns milliseconds to the next step; undefined when nothing is left to do */
	#step(): number | undefined {
		if (this.#options.isBusy()) return WAKE_MS;
		try {
			if (this.#work()) return REST_MS;
			return this.#workAndRest(this.#deployments) ?? this.#workAndRest(this.#signer) ?? this.#truncateLog();
		} catch (caught) {
			const error = toStorageError(caught);
			// Upkeep waits until the storage is available again.
			if (error instanceof StorageUnavailable) return AFTER_FAILURE_MS;
			// A bug here must not stop the writes of this thread; reading works without the indexes.
			this.stop();
			process.emitWarning(`upkeep of the database stopped until the next start: ${describe(error)}`);
			return undefined;
		}
	}

	/** @returns whether something was done */
	#work(): boolean {
		if (this.#writeStep(this.#lookup) || this.#writeStep(this.#zones)) return true;
		// Before signatures are grouped, so that those of small blocks are not among them.
		if (!this.#signatures.isGrouping && this.#writeStep(this.#merger)) return true;
		if (this.#signatures.turn() || this.#writeStep(this.#signatures)) return true;
		if (hasDeadRun(this.#db)) {
			this.#inTransaction(() => dropDeadRun(this.#db));
			return true;
		}
		const group = this.#signatures.checkNext();
		if (typeof group === "number") this.#inTransaction(() => this.#signatures.dropDead(group));
		if (group !== undefined) return true;
		const orphans = this.#logs.next(Date.now());
		if (orphans !== undefined && orphans.length > 0) this.#inTransaction(() => this.#logs.delete(orphans));
		return orphans !== undefined || this.#giveSpaceBack();
	}

	/** @returns whether something was written */
	#writeStep(work: Step): boolean {
		if (!work.prepare()) return false;
		try {
			this.#inTransaction(() => work.write());
		} catch (error) {
			work.abandon?.();
			throw error;
		}
		return true;
	}

	/** @returns milliseconds to the next step; undefined when there was nothing to do */
	#workAndRest(work: Step | undefined): number | undefined {
		const start = performance.now();
		if (work === undefined || !this.#writeStep(work)) return undefined;
		// At most half of this thread's time, so that it stays available for metadata writes.
		return performance.now() - start;
	}

	#giveSpaceBack(): boolean {
		const { freelist_count: free } = getRow<{ freelist_count: number }>(this.#db.prepare("pragma freelist_count"));
		if (free < LEAST_FREE_PAGES) return false;
		this.#locked(() => this.#db.exec(`pragma incremental_vacuum(${VACUUM_PAGES})`));
		// The file shrinks at the checkpoint.
		if (free <= VACUUM_PAGES) this.#locked(() => this.#db.exec("pragma wal_checkpoint(passive)"));
		return true;
	}

	/** @returns milliseconds to the next try; undefined when the log is small */
	#truncateLog(): number | undefined {
		const { size } = statSync(`${present(this.#db.location(), "the path of the database")}-wal`, {
			throwIfNoEntry: false,
		}) ?? { size: 0 };
		if (size <= LARGEST_QUIET_LOG) return undefined;
		const quietMs = performance.now() - this.#wokenAt;
		if (quietMs < QUIET_MS) return QUIET_MS - quietMs;
		// Does not wait for readers that still use the log, as writers wait meanwhile.
		this.#locked(() => {
			const { timeout } = getRow<{ timeout: number }>(this.#db.prepare("pragma busy_timeout"));
			this.#db.exec("pragma busy_timeout = 0");
			try {
				this.#db.exec("pragma wal_checkpoint(truncate)");
			} finally {
				this.#db.exec(`pragma busy_timeout = ${timeout}`);
			}
		});
		return QUIET_MS;
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

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
