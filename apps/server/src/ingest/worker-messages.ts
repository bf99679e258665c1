import type { SpanLimits } from "@spanward/otlp";
import type { SenderRights } from "#access/rights/sender-rights.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";
import type { StatementFigures } from "#storage/clickhouse/statement-channel.ts";
import type { Access } from "#storage/schema.ts";
import type { TraceWriterOptions } from "#storage/traces/open-trace-writer.ts";
import type { WriteResult } from "#storage/traces/span-batch.ts";
import type { ExportAnswer, ExportRequest } from "./ingest.ts";
import type { StorageRefusal } from "./storage-refusals.ts";

/** What passes between the pool and an ingest worker. */

export interface DecodingSettings {
	readonly maxInflatedBytes: number;
	readonly limits: SpanLimits;
	readonly defaultProjectName: string;
	/** Nobody looks for failures; false when absent. */
	readonly ignoresFailures?: boolean;
}

export interface WorkerSettings extends DecodingSettings {
	/** Of `SharedPace`, the same for all threads of the pool. */
	readonly paceMemory: SharedArrayBuffer;
	/** Bytes of the queue that a thread may hold while it waits for its pace. */
	readonly queueBytes: number;
	/** See `ProjectsOfWrite`. */
	readonly pinnedAccess?: Access | undefined;
}

export interface WorkerData {
	readonly settings: WorkerSettings;
	readonly storage: TraceWriterOptions;
	/** Whether reports have the statements of the thread. */
	readonly tellsStatements: boolean;
}

/** An export as its thread gets it. */
export interface RequestToDecode extends Omit<ExportRequest, "sender"> {
	readonly sender?: SenderRights | undefined;
}

export interface QueuedRequest extends RequestToDecode {
	readonly id: number;
}

/** What senders may write now, or why they may send nothing any more. */
export interface LookedAgain {
	readonly lookedAgain: readonly {
		readonly id: number;
		readonly found: SenderRights | { readonly refused: ExportAnswer };
	}[];
}

/** Asks what the senders of these requests may write now. */
export interface LookAgain {
	readonly lookAgain: readonly number[];
}

/** Prices that win over the bundled ones, for what is decoded from then on. */
export interface OwnPrices {
	readonly ownPrices: readonly OwnPrice[];
}

/** `stop`: finish what is queued, close the database, exit. */
export type ToWorker = QueuedRequest | OwnPrices | LookedAgain | "stop";

export type FromWorker = GroupReport | LookAgain;

export interface GroupReport {
	readonly answers: readonly { readonly id: number; readonly answer: ExportAnswer }[];
	readonly written: number;
	readonly duplicates: number;
	readonly logRecords: number;
	readonly ignoredLogRecords: number;
	/** Spans left out, by reason. */
	readonly rejected: Readonly<Record<string, number>>;
	readonly changes: WriteResult["changes"];
	/**
	 * Durations of this group's transactions, in milliseconds: from asking for the write lock to the commit on disk.
	 */
	readonly commitMs: readonly number[];
	/** Failures that are ours, with their stack, for the log. */
	readonly errors: readonly string[];
	/** Requests that the storage did not take; it may take the next. */
	readonly unavailable?: StorageRefusal;
	/** The least milliseconds between two writes now; absent where writing has no pace. */
	readonly insertIntervalMs?: number;
	/** Whether projects were made: other rights count from now on. */
	readonly madeProjects?: boolean;
	/** Those of the thread since the last report; absent without any. */
	readonly statements?: readonly StatementFigures[];
}
