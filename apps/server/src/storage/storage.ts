import type { Cluster } from "./cluster.ts";
import type { Database } from "./database.ts";
import type { SpendLedger } from "./spend-ledger.ts";
import type { TracePlace } from "./trace-place.ts";
import type { TraceRepairs } from "./trace-repairs.ts";
import type { TraceWriterOptions } from "./traces/open-trace-writer.ts";
import type { TraceChange, TraceStore } from "./traces/trace-store.ts";

/**
 * The database that holds everything, the SQLite file of the working folder or PostgreSQL; traces may be in ClickHouse
 * instead.
 */
export interface Storage extends AsyncDisposable {
	/** For people and metrics only; the members below say what the storage can do. */
	readonly kind: "sqlite" | "postgres";
	readonly db: Database;
	readonly traces: TraceStore;
	/** Where they are. */
	readonly place: TracePlace;
	readonly repairs: TraceRepairs;
	readonly spend: SpendLedger;
	/** For `openTraceWriter` in ingest workers. */
	readonly writerOptions: TraceWriterOptions;
	readonly cluster: Cluster;
	/** Bytes of data; space freed by deletions does not count. */
	usedBytes(): Promise<number>;
	/**
	 * Calls `listener` when the database becomes unreachable, and when it is back. Returns the function that
	 * unsubscribes.
	 */
	onReachable(listener: (isReachable: boolean) => void): () => void;
	/** As `onReachable`, of a database that has nothing but traces; absent where traces are with everything else. */
	onTracesReachable?(listener: (isReachable: boolean) => void): () => void;
	/** Background work, done by one process at a time. */
	readonly upkeep: readonly Upkeep[];
	/** The database server; undefined for a file. */
	readonly server: DatabaseServer | undefined;
	/** To be called when a thread that opened a writer has ended, for whatever reason. */
	releaseWriter(threadId: number): void;
	/** To be called after each commit of an ingest worker of this process. */
	notify(change: TraceChange): void;
}

export interface DatabaseServer {
	/** The current state of the connection pools. */
	connections(): readonly PoolUse[];
	/** Whether traces are read from a replica now; undefined without one. */
	readsReplica(): boolean | undefined;
}

/** A pool of connections to a database server. */
export interface PoolUse {
	readonly name: string;
	readonly open: number;
	readonly idle: number;
	/** Requests that wait for a connection. */
	readonly waiting: number;
	readonly most: number;
}

/** Background work that a database needs regularly. */
export interface Upkeep {
	/** The same in all processes. */
	readonly name: string;
	readonly everyMs: number;
	/** `stopped` asks it to end early. */
	readonly run: (stopped: AbortSignal) => Promise<void>;
}
