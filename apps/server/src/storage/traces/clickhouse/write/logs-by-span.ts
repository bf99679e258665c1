import type { LogRecordOfProject } from "#storage/traces/content/log-record.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import type { LogRow } from "../tables.ts";
import { keyOf } from "./stored-traces.ts";

interface Timed {
	readonly timeMicros: number;
	readonly timeNanos: number;
	readonly hash: Uint8Array;
	readonly bytes: Uint8Array;
}

/** The trace of which a log record is, or will be. */
export function traceOfLog({ project_id, trace_id }: Pick<LogRow, "project_id" | "trace_id">): TraceKey {
	return { projectId: project_id, traceId: trace_id.toString("hex") };
}

/** Log records by their spans, each once, in order of time. */
export class LogsBySpan {
	readonly #bySpan = new Map<string, Timed[]>();

	constructor(rows: readonly LogRow[]) {
		for (const row of rows)
			this.#ofSpan(traceOfLog(row), row.span_id.toString("hex")).push({
				timeMicros: row.time_micros,
				timeNanos: row.time_nanos,
				hash: row.hash,
				bytes: row.data,
			});
	}

	/** @returns whether it is new */
	add(log: LogRecordOfProject): boolean {
		const logs = this.#ofSpan(log, log.spanId);
		if (logs.some(({ hash }) => Buffer.compare(hash, log.hash) === 0)) return false;
		logs.push(log);
		logs.sort((a, b) => a.timeMicros - b.timeMicros || a.timeNanos - b.timeNanos || Buffer.compare(a.hash, b.hash));
		return true;
	}

	/** `LogRecord` messages. */
	find(trace: TraceKey, spanId: string): readonly Uint8Array[] {
		return (this.#bySpan.get(`${keyOf(trace)} ${spanId}`) ?? []).map(({ bytes }) => bytes);
	}

	#ofSpan(trace: TraceKey, spanId: string): Timed[] {
		const key = `${keyOf(trace)} ${spanId}`;
		let logs = this.#bySpan.get(key);
		if (logs === undefined) {
			logs = [];
			this.#bySpan.set(key, logs);
		}
		return logs;
	}
}
