import type { DatabaseSync, StatementSync } from "node:sqlite";
import { hasRow, listRows } from "#storage/sqlite/rows.ts";
import { decompress } from "#storage/traces/content/block.ts";
import type { PackedLogRecord } from "#storage/traces/content/log-record.ts";

/** The rows of `log_records`. */
export class LogRows {
	readonly #insert: StatementSync;
	readonly #find: StatementSync;
	readonly #ofBlock: StatementSync;
	readonly #any: StatementSync;
	#maybeAny = true;

	constructor(db: DatabaseSync) {
		this.#insert = db.prepare(
			`insert into log_records (trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
			values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
		);
		this.#find = db.prepare(
			"select data from log_records where trace_id = ? and span_id = ? order by time_micros, time_nanos, hash",
		);
		this.#ofBlock = db.prepare(
			`select log_records.data as data from blocks
				cross join spans on spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
				cross join traces on traces.id = spans.trace_row_id
				cross join log_records on log_records.trace_id = traces.trace_id and log_records.span_id = spans.span_id
			where blocks.id = ?`,
		);
		this.#any = db.prepare("select 1 from log_records limit 1");
	}

	/** Call it at the start of a transaction. Most installations have no log records, and then need no look-ups. */
	begin(): void {
		this.#maybeAny = hasRow(this.#any);
	}

	/** @returns whether it was new */
	insert(record: PackedLogRecord, receivedAtMicros: number): boolean {
		this.#maybeAny = true;
		const { hash, timeMicros, timeNanos, data } = record;
		const trace = Buffer.from(record.traceId, "hex");
		const span = Buffer.from(record.spanId, "hex");
		return this.#insert.run(trace, span, hash, timeMicros, timeNanos, receivedAtMicros, data).changes === 1;
	}

	/** The `LogRecord` messages of a span, in order of time. */
	find(traceId: string, spanId: string): Uint8Array[] {
		if (!this.#maybeAny) return [];
		const ids = [Buffer.from(traceId, "hex"), Buffer.from(spanId, "hex")];
		return listRows<{ data: Uint8Array }>(this.#find, ...ids).map(({ data }) => decompress(data));
	}

	/** The `LogRecord` messages of all spans of a block. */
	ofBlock(blockId: number): Uint8Array[] {
		if (!this.#maybeAny) return [];
		return listRows<{ data: Uint8Array }>(this.#ofBlock, blockId).map(({ data }) => decompress(data));
	}
}
