import type { DatabaseSync } from "node:sqlite";
import { sql, type Transaction } from "kysely";
import type { Database } from "#storage/database.ts";
import type { Access, Tables } from "#storage/schema.ts";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import { ThreadDatabase } from "#storage/sqlite/thread-database.ts";
import { markTraces } from "#storage/traces/error-marks.ts";
import type { ShardHistory } from "../shards/shard-history.ts";
import { addMissingProjects, noteShardHistory, readInstallationId, readShardHistory } from "./common-metadata.ts";
import { readSqliteCounters } from "./counters.ts";
import { createTurnTables, leaveTraces } from "./sqlite-schema.ts";
import { SqliteTurns } from "./sqlite-turns.ts";
import type { Counters, SqliteMetadataOptions, TraceMetadata, WriterMetadata } from "./trace-metadata.ts";
import { createTurnLockMemory, releaseTurnsOfEndedThread, TurnLock } from "./turn-lock.ts";

interface OpenFile {
	readonly db: Database;
	/** The file of `db`, which `openSqlite` has migrated. */
	readonly path: string;
	/** Memory of its write lock. */
	readonly mutex: SharedArrayBuffer;
	/** What a variable says of the access of new projects. */
	readonly pinnedAccess?: Access | undefined;
}

/**
 * Opens a database file as the metadata database of traces in ClickHouse: makes what is missing. Once in a process,
 * before anything is written.
 * @throws StorageUnavailable
 */
export function openSqliteMetadata({ db, path, mutex, pinnedAccess }: OpenFile): SqliteMetadata {
	change(path, createTurnTables);
	return new SqliteMetadata(db, { kind: "sqlite", path, mutex, turnLock: createTurnLockMemory() }, pinnedAccess);
}

function change(path: string, work: (file: DatabaseSync) => void): void {
	const file = openForWriting(path, 2);
	try {
		work(file);
	} catch (error) {
		throw toStorageError(error);
	} finally {
		file.close();
	}
}

export class SqliteMetadata implements TraceMetadata {
	readonly db: Database;
	readonly writerOptions: SqliteMetadataOptions;
	readonly #pinnedAccess: Access | undefined;

	constructor(db: Database, writerOptions: SqliteMetadataOptions, pinnedAccess?: Access) {
		this.db = db;
		this.#pinnedAccess = pinnedAccess;
		this.writerOptions = writerOptions;
	}

	openTurns(): SqliteTurns {
		return new SqliteTurns(this.db, new TurnLock(this.writerOptions.turnLock));
	}

	installationId(): Promise<string> {
		return readInstallationId(this.db);
	}

	shardHistory(): Promise<ShardHistory | undefined> {
		return readShardHistory(this.db);
	}

	noteShards(history: ShardHistory): Promise<void> {
		return noteShardHistory(this.db, history);
	}

	counters(): Promise<Counters> {
		return readSqliteCounters(this.db);
	}

	async raiseCounters({ spans, traces, turns }: Counters): Promise<void> {
		await this.db.write(async (transaction) => {
			for (const [name, least] of Object.entries({ spans, traces }))
				await sql`update row_numbers set next = max(next, ${least} + 1) where name = ${name}`.execute(transaction);
			await raiseSequence(transaction, "clickhouse_batches", turns);
		});
	}

	async raiseKeyNumbers(least: number): Promise<void> {
		await this.db.write((transaction) => raiseSequence(transaction, "api_keys", least));
	}

	addProjects(projects: readonly { readonly id: number; readonly name: string }[]): Promise<void> {
		return addMissingProjects(this.db, projects, this.#pinnedAccess);
	}

	async leaveTraces(): Promise<void> {
		change(this.writerOptions.path, leaveTraces);
	}

	releaseWriter(threadId: number): void {
		releaseTurnsOfEndedThread(this.writerOptions.turnLock, threadId);
	}
}

/** Row numbers of the table that are given out from now on are above this one. */
async function raiseSequence(transaction: Transaction<Tables>, table: string, least: number): Promise<void> {
	await sql`insert into sqlite_sequence (name, seq) select ${table}, 0
		where not exists (select 1 from sqlite_sequence where name = ${table})`.execute(transaction);
	await sql`update sqlite_sequence set seq = max(seq, ${least}) where name = ${table}`.execute(transaction);
}

/** For an ingest worker: a connection of its own. */
export function openSqliteWriterMetadata({ path, mutex, turnLock }: SqliteMetadataOptions): WriterMetadata {
	const db = new ThreadDatabase(path, mutex);
	const turns = new SqliteTurns(db, new TurnLock(turnLock));
	const turnsBeside = new SqliteTurns(db, new TurnLock(turnLock));
	return {
		...{ db, turns, turnsBeside },
		markTraces: (traces) => markTraces(db, traces),
		async [Symbol.asyncDispose]() {
			await turns[Symbol.asyncDispose]();
			await turnsBeside[Symbol.asyncDispose]();
			await db[Symbol.asyncDispose]();
		},
	};
}
