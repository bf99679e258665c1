import type { DatabaseSync } from "node:sqlite";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import { WriteLock } from "#storage/sqlite/write-lock.ts";
import { packLogRecord } from "../content/log-record.ts";
import { packBatch } from "../content/pack-batch.ts";
import {
	ANY_PROJECT,
	type NormalizedLogRecord,
	type NormalizedSpan,
	type ReadTexts,
	type TraceWriter,
	type WriteResult,
} from "../span-batch.ts";
import { writeBatch } from "./write/write-batch.ts";
import { WriteTransaction } from "./write/write-transaction.ts";

/** What a thread needs to open a writer; can be posted to a worker. */
export interface SqliteWriterOptions {
	readonly kind: "sqlite";
	/** The database file, created and migrated by `openSqlite`. */
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
	/** Whether blocks get signatures for text search. */
	readonly textIndex: boolean;
}

const CACHE_MEBIBYTES = 16;

/** Opens a writer with its own connection. It blocks its thread while writing or waiting, so use it in a worker. */
export function openSqliteTraceWriter(options: SqliteWriterOptions, readTexts: ReadTexts): SqliteTraceWriter {
	const db = openForWriting(options.path, CACHE_MEBIBYTES);
	return new SqliteTraceWriter(db, new WriteLock(options.mutex, false), { readTexts, textIndex: options.textIndex });
}

export class SqliteTraceWriter implements TraceWriter {
	readonly #db: DatabaseSync;
	readonly #lock: WriteLock;
	readonly #textIndex: boolean;
	readonly #transaction: WriteTransaction;

	constructor(
		db: DatabaseSync,
		lock: WriteLock,
		{ readTexts, textIndex }: { readonly readTexts: ReadTexts; readonly textIndex: boolean },
	) {
		this.#db = db;
		this.#lock = lock;
		this.#textIndex = textIndex;
		this.#transaction = new WriteTransaction(db, readTexts);
	}

	async write(
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
		projects = ANY_PROJECT,
	): Promise<WriteResult> {
		const batch = packBatch(spans, { signed: this.#textIndex, rootsFirst: true });
		const packedLogs = logs.map(packLogRecord);
		this.#lock.acquire();
		try {
			return this.#transaction.run(() => writeBatch(this.#transaction, { batch, logs: packedLogs, projects }));
		} catch (error) {
			throw toStorageError(error);
		} finally {
			this.#lock.release();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#db.close();
	}
}
