import { createHash } from "node:crypto";
import type { NormalizedLogRecord } from "../span-batch.ts";
import { compress } from "./block.ts";

/** Log records whose span has not come within this time are taken to belong to spans that go elsewhere. */
export const LOG_WAIT_MICROS = 7 * 24 * 3_600 * 1_000_000;

/** Durable at once, whether their span has come or not; found by trace and span id. */
export interface PackedLogRecord {
	readonly traceId: string;
	readonly spanId: string;
	readonly hash: Uint8Array;
	readonly timeMicros: number;
	readonly timeNanos: number;
	readonly data: Uint8Array;
}

export function packLogRecord(record: NormalizedLogRecord): PackedLogRecord {
	return {
		traceId: record.traceId,
		spanId: record.spanId,
		hash: createHash("sha256").update(record.bytes).digest().subarray(0, 16),
		timeMicros: record.time.micros,
		timeNanos: record.time.nanos,
		data: compress(record.bytes),
	};
}
