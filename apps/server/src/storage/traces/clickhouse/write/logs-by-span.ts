import type { PackedLogRecord } from "#storage/traces/content/log-record.ts";
import type { LogRow } from "../tables.ts";

interface Timed {
	readonly timeMicros: number;
	readonly timeNanos: number;
	readonly hash: Uint8Array;
	readonly bytes: Uint8Array;
}

/** Log records by their spans, each once, in order of time. */
export class LogsBySpan {
	readonly #bySpan = new Map<string, Timed[]>();

	constructor(rows: readonly LogRow[]) {
		for (const row of rows)
			this.#ofSpan(row.trace_id.toString("hex"), row.span_id.toString("hex")).push({
				timeMicros: row.time_micros,
				timeNanos: row.time_nanos,
				hash: row.hash,
				bytes: row.data,
			});
	}

	/** @returns whether it is new */
	add(log: PackedLogRecord): boolean {
		const logs = this.#ofSpan(log.traceId, log.spanId);
		if (logs.some(({ hash }) => Buffer.compare(hash, log.hash) === 0)) return false;
		logs.push(log);
		logs.sort((a, b) => a.timeMicros - b.timeMicros || a.timeNanos - b.timeNanos || Buffer.compare(a.hash, b.hash));
		return true;
	}

	/** `LogRecord` messages. */
	find(traceId: string, spanId: string): readonly Uint8Array[] {
		return (this.#bySpan.get(`${traceId} ${spanId}`) ?? []).map(({ bytes }) => bytes);
	}

	#ofSpan(traceId: string, spanId: string): Timed[] {
		const key = `${traceId} ${spanId}`;
		let logs = this.#bySpan.get(key);
		if (logs === undefined) {
			logs = [];
			this.#bySpan.set(key, logs);
		}
		return logs;
	}
}
