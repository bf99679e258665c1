import type { DatabaseSync, StatementSync } from "node:sqlite";
import { hasRow, listRows } from "#storage/sqlite/rows.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { hashInProject, type LogRecordOfProject, NO_PROJECT } from "#storage/traces/content/log-record.ts";

/** The rows of `log_records`. */
export class LogRows {
	readonly #insert: StatementSync;
	readonly #find: StatementSync;
	readonly #ofBlock: StatementSync;
	readonly #any: StatementSync;
	readonly #anyOfNoProject: StatementSync;
	readonly #listOfNoProject: StatementSync;
	readonly #claim: StatementSync;
	#maybeAny = true;
	#maybeOfNoProject = true;

	constructor(db: DatabaseSync) {
		this.#insert = db.prepare(
			`insert into log_records (project_id, trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
			values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
		);
		this.#find = db.prepare(
			`select data from log_records where trace_id = ? and span_id = ? and project_id = ?
			order by time_micros, time_nanos, hash`,
		);
		this.#ofBlock = db.prepare(
			`select log_records.data as data from blocks
				cross join spans on spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
				cross join traces on traces.id = spans.trace_row_id
				cross join log_records on log_records.trace_id = traces.trace_id and log_records.span_id = spans.span_id
					and log_records.project_id = traces.project_id
			where blocks.id = ?`,
		);
		this.#any = db.prepare("select 1 from log_records limit 1");
		const ofNoProject = `log_records where project_id = ${NO_PROJECT}`;
		this.#anyOfNoProject = db.prepare(`select 1 from ${ofNoProject} limit 1`);
		this.#listOfNoProject = db.prepare(`select id, hash from ${ofNoProject} and trace_id = ?`);
		this.#claim = db.prepare("update or ignore log_records set project_id = ?, hash = ? where id = ?");
	}

	/** Call it at the start of a transaction. Most installations have no log records, and then need no look-ups. */
	begin(): void {
		this.#maybeAny = hasRow(this.#any);
		this.#maybeOfNoProject = this.#maybeAny && hasRow(this.#anyOfNoProject);
	}

	/** @returns whether it was new */
	insert(record: LogRecordOfProject, receivedAtMicros: number): boolean {
		this.#maybeAny = true;
		const { projectId, hash, timeMicros, timeNanos, data } = record;
		const trace = Buffer.from(record.traceId, "hex");
		const span = Buffer.from(record.spanId, "hex");
		return this.#insert.run(projectId, trace, span, hash, timeMicros, timeNanos, receivedAtMicros, data).changes === 1;
	}

	/** Gives the records of no project that wait for a trace to its project. */
	claim(projectId: number, traceId: string): void {
		if (!this.#maybeOfNoProject) return;
		for (const { id, hash } of listRows<{ id: number; hash: Uint8Array }>(
			this.#listOfNoProject,
			Buffer.from(traceId, "hex"),
		))
			this.#claim.run(projectId, hashInProject(projectId, hash), id);
	}

	/** The `LogRecord` messages of a span, in order of time. */
	find(projectId: number, traceId: string, spanId: string): Uint8Array[] {
		if (!this.#maybeAny) return [];
		const ids = [Buffer.from(traceId, "hex"), Buffer.from(spanId, "hex")];
		return listRows<{ data: Uint8Array }>(this.#find, ...ids, projectId).map(({ data }) => decompress(data));
	}

	/** The `LogRecord` messages of all spans of a block. */
	ofBlock(blockId: number): Uint8Array[] {
		if (!this.#maybeAny) return [];
		return listRows<{ data: Uint8Array }>(this.#ofBlock, blockId).map(({ data }) => decompress(data));
	}
}
