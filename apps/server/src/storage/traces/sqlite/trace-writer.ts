import type { DatabaseSync } from "node:sqlite";
import { openForWriting } from "../../sqlite/connection.ts";
import { toStorageError } from "../../sqlite/storage-errors.ts";
import { WriteLock } from "../../sqlite/write-lock.ts";
import type { NormalizedLogRecord, NormalizedSpan, TraceWriter, WriteResult } from "../span-batch.ts";
import { packBlocks } from "./block.ts";
import { type PackedLogRecord, packLogRecord } from "./write/log-records.ts";
import { type PackedTrace, refreshTexts, writeTrace } from "./write/write-trace.ts";
import { type ReadTexts, WriteTransaction } from "./write/write-transaction.ts";

/** What a thread needs to write; may be sent to a worker. */
export interface TraceWriterOptions {
	/** The database file; `openSqlite` has created and migrated it. */
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
}

const CACHE_MEBIBYTES = 16;

/** Opens a writer of its own connection. It blocks its thread while it writes or waits: use it in a worker. */
export function openTraceWriter(options: TraceWriterOptions & { readonly readTexts: ReadTexts }): SqliteTraceWriter {
	const db = openForWriting(options.path, CACHE_MEBIBYTES);
	return new SqliteTraceWriter(db, new WriteLock(options.mutex, false), options.readTexts);
}

export class SqliteTraceWriter implements TraceWriter {
	readonly #db: DatabaseSync;
	readonly #lock: WriteLock;
	readonly #transaction: WriteTransaction;

	constructor(db: DatabaseSync, lock: WriteLock, readTexts: ReadTexts) {
		this.#db = db;
		this.#lock = lock;
		this.#transaction = new WriteTransaction(db, readTexts);
	}

	async write(spans: readonly NormalizedSpan[], logs: readonly NormalizedLogRecord[]): Promise<WriteResult> {
		const { traces, duplicates } = packTraces(spans);
		const packedLogs = logs.map(packLogRecord);
		this.#lock.acquire();
		try {
			return this.#transaction.run(() => this.#writeAll(traces, duplicates, packedLogs));
		} catch (error) {
			throw toStorageError(error);
		} finally {
			this.#lock.release();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#db.close();
	}

	#writeAll(traces: readonly PackedTrace[], duplicatesInBatch: number, logs: readonly PackedLogRecord[]): WriteResult {
		const transaction = this.#transaction;
		const receivedAt = Date.now() * 1_000;
		const newLogs = logs.filter((log) => transaction.logs.insert(log, receivedAt));
		const projectIds = new Map<string, number>();
		const changes = new Map<number, Set<number>>();
		let written = 0;
		let duplicates = duplicatesInBatch;
		for (const packed of traces) {
			let projectId = projectIds.get(packed.projectName);
			if (projectId === undefined) {
				projectId = transaction.findOrInsertProject(packed.projectName);
				projectIds.set(packed.projectName, projectId);
			}
			const result = writeTrace(transaction, projectId, packed);
			written += result.written;
			duplicates += result.duplicates;
			if (result.written > 0) noteChange(changes, projectId, result.traceRowId);
		}
		for (const traceId of new Set(newLogs.map((log) => log.traceId)))
			for (const row of transaction.traces.tracesByTraceId(Buffer.from(traceId, "hex"))) {
				refreshTexts(transaction, traceId, row);
				noteChange(changes, row.project_id, row.id);
			}
		return {
			written,
			duplicates,
			logRecords: newLogs.length,
			changes: [...changes].map(([projectId, rowIds]) => ({ projectId, traceRowIds: [...rowIds] })),
		};
	}
}

function noteChange(changes: Map<number, Set<number>>, projectId: number, traceRowId: number): void {
	const rowIds = changes.get(projectId);
	if (rowIds === undefined) changes.set(projectId, new Set([traceRowId]));
	else rowIds.add(traceRowId);
}

/** Groups spans by trace, each identity once (the first one stays), and compresses them. */
function packTraces(spans: readonly NormalizedSpan[]): { traces: PackedTrace[]; duplicates: number } {
	const groups = new Map<string, { projectName: string; traceId: string; spans: Map<string, NormalizedSpan> }>();
	let duplicates = 0;
	for (const span of spans) {
		const key = `${span.traceId}${span.projectName}`;
		let group = groups.get(key);
		if (group === undefined) {
			group = { projectName: span.projectName, traceId: span.traceId, spans: new Map() };
			groups.set(key, group);
		}
		const identity = `${span.spanId}${span.start.micros}.${span.start.nanos}`;
		if (group.spans.has(identity)) duplicates += 1;
		else group.spans.set(identity, span);
	}
	const traces = [...groups.values()].map((group) => ({ ...group, blocks: packBlocks([...group.spans.values()]) }));
	return { traces, duplicates };
}
