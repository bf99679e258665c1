import type { Cluster } from "./cluster.ts";
import type { Database } from "./database.ts";
import type { TraceWriterOptions } from "./traces/open-trace-writer.ts";
import type { TraceChange, TraceStore } from "./traces/trace-store.ts";

/** Where everything is kept: the SQLite file of the working folder, or a PostgreSQL database. */
export interface Storage extends AsyncDisposable {
	/** For people and metrics; what it can do is said by the members below. */
	readonly kind: "sqlite" | "postgres";
	readonly db: Database;
	readonly traces: TraceStore;
	/** For `openTraceWriter` in ingest workers. */
	readonly writerOptions: TraceWriterOptions;
	readonly cluster: Cluster;
	/** What the database holds; room that deleting has made does not count. */
	usedBytes(): Promise<number>;
	/** Calls `listener` when the database cannot be reached any more, and when it can again. Returns the unsubscribe. */
	onReachable(listener: (isReachable: boolean) => void): () => void;
	/** What is to be done in the background, by one process at a time. */
	readonly upkeep: readonly Upkeep[];
	/** Of a database that is asked over connections; undefined for a file. */
	readonly server: DatabaseServer | undefined;
	/** To be called when a thread that had opened a writer has ended, for whatever reason. */
	releaseWriter(threadId: number): void;
	/** To be called after each commit of an ingest worker of this process. */
	notify(change: TraceChange): void;
}

export interface DatabaseServer {
	/** The pools of connections as they are now. */
	connections(): readonly PoolUse[];
	/** Whether traces are read from a replica now; undefined where there is none. */
	readsReplica(): boolean | undefined;
}

/** A pool of connections to a database server. */
export interface PoolUse {
	readonly name: string;
	readonly open: number;
	readonly idle: number;
	/** Who waits for a connection. */
	readonly waiting: number;
	readonly most: number;
}

/** What a database wants to be done again and again. */
export interface Upkeep {
	/** The same in all processes. */
	readonly name: string;
	readonly everyMs: number;
	/** `stopped` tells it to end early. */
	readonly run: (stopped: AbortSignal) => Promise<void>;
}
