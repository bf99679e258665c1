import { createHash } from "node:crypto";
import type { NormalizedLogRecord } from "../span-batch.ts";
import { compress } from "./block.ts";

/** After this time without their span, log records are assumed to belong to spans that are sent elsewhere. */
export const LOG_WAIT_MICROS = 7 * 24 * 3_600 * 1_000_000;

/**
 * The project of log records that were stored before they had one, and whose trace has not come yet. The first trace of
 * their id takes them, unless its sender's rights had to be looked at (docs/decisions/0064-log-records-in-projects.md).
 */
export const NO_PROJECT = 0;

/** A log record, found by project, trace and span id. Stored at once, whether or not its span has come. */
export interface PackedLogRecord {
	readonly projectName: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly hash: Uint8Array;
	readonly timeMicros: number;
	readonly timeNanos: number;
	/** `LogRecord` message. */
	readonly bytes: Uint8Array;
	/** The message, compressed. */
	readonly data: Uint8Array;
}

/** One whose project has a row number; its hash is that of the message in this project. */
export interface LogRecordOfProject extends PackedLogRecord {
	readonly projectId: number;
}

export function packLogRecord(record: NormalizedLogRecord): PackedLogRecord {
	return {
		projectName: record.projectName,
		traceId: record.traceId,
		spanId: record.spanId,
		hash: hashOfLog(record.bytes),
		timeMicros: record.time.micros,
		timeNanos: record.time.nanos,
		bytes: record.bytes,
		data: compress(record.bytes),
	};
}

/** 16 bytes. */
export function hashOfLog(message: Uint8Array): Buffer {
	return digest(message);
}

/** The key of a message in a project, so that the same message in two projects is two log records; 16 bytes. */
export function hashInProject(projectId: number, hash: Uint8Array): Buffer {
	return digest(hash, String(projectId));
}

export function logOfProject(projectId: number, log: PackedLogRecord): LogRecordOfProject {
	return { ...log, projectId, hash: hashInProject(projectId, log.hash) };
}

function digest(...parts: readonly (Uint8Array | string)[]): Buffer {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return hash.digest().subarray(0, 16);
}
