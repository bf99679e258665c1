import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Database } from "#storage/database.ts";
import type { TracesToMark } from "#storage/traces/error-backlog.ts";
import type { ShardHistory } from "../shards/shard-history.ts";
import type { Turns } from "./turns.ts";

/** What traces in ClickHouse need of the metadata database, beyond the tables that every server has. */
export interface TraceMetadata {
	/** The metadata tables. */
	readonly db: Database;
	/** For `openWriterMetadata` in ingest workers. */
	readonly writerOptions: MetadataWriterOptions;
	/** Turns for this thread; ingest workers open their own. The caller disposes of them. @throws StorageUnavailable */
	openTurns(): Turns;
	/** The id that the metadata database has for all times; made when it is missing. */
	installationId(): Promise<string>;
	/** How many shards there were when; undefined before that was noted. */
	shardHistory(): Promise<ShardHistory | undefined>;
	noteShards(history: ShardHistory): Promise<void>;
	/** The highest numbers that were given out, 0 for none. */
	counters(): Promise<Counters>;
	/** What is given out from now on is above these numbers. Before the first turn of this process. */
	raiseCounters(least: Counters): Promise<void>;
	/** Row numbers of API keys that are made from now on are above this one. */
	raiseKeyNumbers(least: number): Promise<void>;
	/** Makes those of these projects whose row number does not exist; one whose name is taken gets another name. */
	addProjects(projects: readonly { readonly id: number; readonly name: string }[]): Promise<void>;
	/**
	 * Drops foreign keys to traces, which are not here, and notes that they are in ClickHouse from now on. Before anything
	 * is written. @throws StorageUnavailable
	 */
	leaveTraces(): Promise<void>;
	/** To be called when a thread that opened turns has ended, for whatever reason: others no longer wait for it. */
	releaseWriter(threadId: number): void;
}

/** What the metadata database counts. */
export interface Counters {
	/** Row numbers of spans. */
	readonly spans: number;
	/** Row numbers of traces and sessions. */
	readonly traces: number;
	/** Numbers of batches, and versions. */
	readonly turns: number;
}

/** What a thread needs to open the metadata database for a writer; can be posted to a worker. */
export type MetadataWriterOptions = SqliteMetadataOptions | PostgresMetadataOptions;

export interface SqliteMetadataOptions {
	readonly kind: "sqlite";
	/** The database file, opened by `openSqliteMetadata`. */
	readonly path: string;
	/** Memory of the write lock of the file. */
	readonly mutex: SharedArrayBuffer;
	/** Memory of the lock of turns. */
	readonly turnLock: SharedArrayBuffer;
}

export interface PostgresMetadataOptions {
	readonly kind: "postgres";
	readonly settings: PostgresSettings;
}

/** What a writer needs of the metadata database. */
export interface WriterMetadata extends AsyncDisposable {
	readonly db: Pick<Database, "read">;
	readonly turns: Turns;
	/** For writes that those of `turns` do not wait for. */
	readonly turnsBeside: Turns;
	/** Notes traces to look at for failures. Durable once it resolves, whatever becomes of a turn. @throws StorageUnavailable */
	markTraces(traces: TracesToMark): Promise<void>;
}
