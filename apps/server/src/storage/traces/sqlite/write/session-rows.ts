import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow } from "#storage/sqlite/rows.ts";
import { SESSION_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import type { Totals } from "#storage/traces/totals/rollup.ts";
import { type Bounds, type SessionChanges, wider } from "#storage/traces/totals/session-changes.ts";

/** The rows of `sessions`. */
export class SessionRows {
	readonly #find: StatementSync;
	readonly #insert: StatementSync;
	readonly #bounds: StatementSync;
	readonly #add: StatementSync;
	readonly #recompute: StatementSync;
	readonly #dropEmpty: StatementSync;
	readonly #ids = new Map<string, number>();

	constructor(db: DatabaseSync) {
		this.#find = db.prepare("select id from sessions where project_id = ? and session_id = ?");
		this.#insert = db.prepare(
			`insert into sessions (project_id, session_id, start_micros, start_nanos, end_micros, end_nanos, trace_count,
				span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total, cost_micro, cost_pico,
				costed_spans)
			values (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
		);
		this.#bounds = db.prepare(
			`select start_micros as startMicros, start_nanos as startNanos, end_micros as endMicros, end_nanos as endNanos,
				trace_count
			from sessions where id = ?`,
		);
		this.#add = db.prepare(
			`update sessions set start_micros = ?, start_nanos = ?, end_micros = ?, end_nanos = ?,
				trace_count = trace_count + ?, span_count = span_count + ?,
				running_count = running_count + ?, error_count = error_count + ?,
				tokens_prompt = tokens_prompt + ?, tokens_completion = tokens_completion + ?,
				tokens_total = tokens_total + ?, cost_micro = cost_micro + ?, cost_pico = cost_pico + ?, costed_spans = costed_spans + ?
			where id = ?`,
		);
		// A session without traces keeps its former times.
		this.#recompute = db.prepare(
			`update sessions set (trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total,
				cost_micro, cost_pico, costed_spans) = (
					select count(*), coalesce(sum(span_count), 0), coalesce(sum(running_count), 0), coalesce(sum(error_count), 0),
						coalesce(sum(tokens_prompt), 0), coalesce(sum(tokens_completion), 0), coalesce(sum(tokens_total), 0),
						coalesce(sum(cost_micro), 0), coalesce(sum(cost_pico), 0), coalesce(sum(costed_spans), 0)
					from traces where session_row_id = sessions.id),
				(start_micros, start_nanos) = (
					select start_micros, start_nanos from (
						select start_micros, start_nanos, 1 as rank from traces where session_row_id = sessions.id
						union all select sessions.start_micros, sessions.start_nanos, 2)
					order by rank, start_micros, start_nanos limit 1),
				(end_micros, end_nanos) = (
					select end_micros, end_nanos from (
						select end_micros, end_nanos, 1 as rank from traces where session_row_id = sessions.id
						union all select sessions.end_micros, sessions.end_nanos, 2)
					order by rank, end_micros desc, end_nanos desc limit 1)
			where id = ?`,
		);
		this.#dropEmpty = db.prepare(
			`delete from sessions where id = ? and trace_count = 0
				and (? = 1 or not ${SESSION_IS_ANNOTATED})`,
		);
	}

	/** Caches the sessions of a transaction until `end`. */
	findOrInsert(projectId: number, sessionId: string, bounds: Bounds): number {
		const key = `${projectId} ${sessionId}`;
		const known = this.#ids.get(key);
		if (known !== undefined) return known;
		const id = this.#findOrInsert(projectId, sessionId, bounds);
		this.#ids.set(key, id);
		return id;
	}

	/** Writes the changes. */
	write(changes: SessionChanges): void {
		for (const [id, { traces, totals, bounds }] of changes.gains()) this.add(id, traces, totals, bounds);
		for (const [id, whenEmpty] of changes.shrunk()) {
			this.recompute(id);
			if (whenEmpty !== "keep") this.dropEmpty(id, whenEmpty === "drop");
		}
	}

	/** Call it after a transaction, however it ended. */
	end(): void {
		this.#ids.clear();
	}

	#findOrInsert(projectId: number, sessionId: string, bounds: Bounds): number {
		const { startMicros, startNanos, endMicros, endNanos } = bounds;
		const row = findRow<{ id: number }>(this.#find, projectId, sessionId);
		if (row !== undefined) return row.id;
		const inserted = this.#insert.run(projectId, sessionId, startMicros, startNanos, endMicros, endNanos);
		return Number(inserted.lastInsertRowid);
	}

	add(id: number, traces: number, totals: Totals, bounds: Bounds): void {
		const stored = findRow<Bounds & { trace_count: number }>(this.#bounds, id);
		if (stored === undefined) throw new Error(`session ${id} vanished within a transaction`);
		// A session that had become empty has old times, which no longer matter.
		const { startMicros, startNanos, endMicros, endNanos } = stored.trace_count === 0 ? bounds : wider(stored, bounds);
		const { spans, running, errors, prompt, completion, total, costMicro, costPico, costed } = totals;
		this.#add.run(
			startMicros,
			startNanos,
			endMicros,
			endNanos,
			traces,
			spans,
			running,
			errors,
			prompt,
			completion,
			total,
			costMicro,
			costPico,
			costed,
			id,
		);
	}

	recompute(id: number): void {
		this.#recompute.run(id);
	}

	dropEmpty(id: number, alsoAnnotated: boolean): void {
		this.#dropEmpty.run(id, alsoAnnotated ? 1 : 0);
	}
}
