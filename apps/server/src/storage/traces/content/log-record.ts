import { createHash } from "node:crypto";
import type { NormalizedLogRecord } from "../span-batch.ts";
import { compress } from "./block.ts";

/** After this time without their span, log records are assumed to belong to spans that are sent elsewhere. */
export const LOG_WAIT_MICROS = 7 * 24 * 3_600 * 1_000_000;

/** A log record, found by trace and span id. Stored at once, whether or not its span has come. */
export interface PackedLogRecord {
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

export function packLogRecord(record: NormalizedLogRecord): PackedLogRecord {
	return {
		traceId: record.traceId,
		spanId: record.spanId,
		hash: createHash("sha256").update(record.bytes).digest().subarray(0, 16),
		timeMicros: record.time.micros,
		timeNanos: record.time.nanos,
		bytes: record.bytes,
		data: compress(record.bytes),
	};
}
