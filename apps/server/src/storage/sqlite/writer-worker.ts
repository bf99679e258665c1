import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { SpanPrices } from "#pricing/price-of.ts";
import { sqliteReferences } from "../references/sqlite-references.ts";
import type { ExpiredTraces } from "../traces/expiry/expired-traces.ts";
import type { RecountRange } from "../traces/mutate/recounting-repairs.ts";
import { SqliteTraceMutations } from "../traces/sqlite/mutate/trace-mutations.ts";
import { MutationTransaction } from "../traces/sqlite/mutate/transaction.ts";
import { TraceUpkeep } from "../traces/sqlite/upkeep/trace-upkeep.ts";
import type { CostQuery } from "../traces/trace-store.ts";
import { openForWriting } from "./connection.ts";
import type { WorkerSettings } from "./database-workers.ts";
import { MetadataTransaction } from "./metadata-transaction.ts";
import type { QueryAnswer } from "./query.ts";
import { toStorageError } from "./storage-errors.ts";
import { serve } from "./worker-protocol.ts";
import { WriteLock } from "./write-lock.ts";

const CACHE_MEBIBYTES = 16;

// A worker gets its settings once, from database-workers.ts.
const settings = workerData as WorkerSettings;
const db: DatabaseSync = openForWriting(settings.path, CACHE_MEBIBYTES);
const lock = new WriteLock(settings.mutex, true);
const mutations = new SqliteTraceMutations(db, new MutationTransaction(db, sqliteReferences));
const prices = new SpanPrices();
const metadata = new MetadataTransaction(db, lock);
const upkeep = new TraceUpkeep(db, lock, { textIndex: settings.textIndex, isBusy: () => metadata.isOpen });

/** As `locked`, of what may delete blocks. */
function deleting<T>(work: () => T): T {
	const result = locked(work);
	upkeep.noteDeletion();
	return result;
}

/** Runs a short transaction under the write lock. */
function locked<T>(work: () => T): T {
	lock.acquire();
	try {
		return work();
	} catch (error) {
		throw toStorageError(error);
	} finally {
		lock.release();
	}
}

const handlers = {
	begin: () => metadata.begin(),
	query: (sql: string, parameters: readonly SQLInputValue[]): QueryAnswer => metadata.query(sql, parameters),
	commit: () => metadata.commit(),
	rollback: () => metadata.rollback(),
	deleteSpan: (spanRowId: number) => deleting(() => mutations.deleteSpan(spanRowId)),
	deleteSpans: (projectId: number, spanRowIds: readonly number[]) =>
		deleting(() => mutations.deleteSpans(projectId, spanRowIds)),
	deleteTraces: (projectId: number, traceRowIds: readonly number[]) =>
		deleting(() => mutations.deleteTraces(projectId, traceRowIds)),
	deleteTrace: (traceRowId: number) => deleting(() => mutations.deleteTrace(traceRowId)),
	deleteTracesBetween: (projectId: number, startMicros: number, endMicros: number) =>
		deleting(() => mutations.deleteTracesBetween(projectId, startMicros, endMicros)),
	deleteExpired: (traces: ExpiredTraces) => deleting(() => mutations.deleteExpired(traces)),
	recomputeCosts: (query: CostQuery) => {
		prices.useOwn(query.ownPrices);
		return mutations.recomputeCosts(query, (facts, startMicros) => prices.priceOf(facts, startMicros), locked);
	},
	recountTraces: (range: RecountRange, after: number) => locked(() => mutations.recountTraces(range, after)),
	recountHour: (projectId: number, hour: number, isDryRun: boolean) =>
		mutations.recountHour(projectId, hour, isDryRun, locked),
	recountSpend: (projectId: number, quarter: number, isDryRun: boolean) =>
		mutations.recountSpend(projectId, quarter, isDryRun, locked),
	deleteTracesOfSession: (sessionRowId: number) => deleting(() => mutations.deleteTracesOfSession(sessionRowId)),
	deleteTracesOfProject: (projectId: number) => deleting(() => mutations.deleteTracesOfProject(projectId)),
	deleteSessionRow: (sessionRowId: number) => locked(() => mutations.deleteSessionRow(sessionRowId)),
	deleteProjectRow: (projectId: number) => locked(() => mutations.deleteProjectRow(projectId)),
	transferTraces: (traceRowIds: readonly number[], destinationProjectId: number) =>
		locked(() => mutations.transferTraces(traceRowIds, destinationProjectId)),
	purge: () => deleting(() => mutations.purge()),
	/** After a commit: checks soon whether there is upkeep to do. */
	wake: () => upkeep.wake(),
	close: () => {
		upkeep.stop();
		metadata.abandon();
		db.close();
	},
};

export type WriterHandlers = typeof handlers;

if (parentPort !== null) serve(parentPort, handlers);
