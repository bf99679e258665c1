import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { WhenEmpty } from "../../mutate/batches.ts";
import type { Totals } from "../../totals/rollup.ts";

interface Bounds {
	readonly startMicros: number;
	readonly startNanos: number;
	readonly endMicros: number;
	readonly endNanos: number;
}

/** Changes of session rows within one transaction; `flush` has to come after the trace rows are written. */
export class SessionChanges {
	readonly #statements: SessionStatements;
	readonly #ids = new Map<string, number>();
	readonly #gains = new Map<number, { traces: number; totals: Totals; bounds: Bounds }>();
	readonly #recompute = new Map<number, WhenEmpty>();

	constructor(statements: SessionStatements) {
		this.#statements = statements;
	}

	findOrInsert(projectId: number, sessionId: string, bounds: Bounds): number {
		const key = `${projectId} ${sessionId}`;
		let id = this.#ids.get(key);
		if (id === undefined) {
			id = this.#statements.findOrInsert(projectId, sessionId, bounds);
			this.#ids.set(key, id);
		}
		return id;
	}

	/** A trace of the session is new (`traces` 1) or has grown (0) by `totals` to `bounds`. */
	grow(sessionRowId: number, traces: number, totals: Totals, bounds: Bounds): void {
		const known = this.#gains.get(sessionRowId);
		if (known === undefined) {
			this.#gains.set(sessionRowId, { traces, totals: { ...totals }, bounds });
			return;
		}
		known.traces += traces;
		for (const key of Object.keys(known.totals) as (keyof Totals)[]) known.totals[key] += totals[key];
		known.bounds = wider(known.bounds, bounds);
	}

	/** The session lost a trace or part of one: its row is computed anew. What to do when nothing is left is the caller's say. */
	shrink(sessionRowId: number, whenEmpty: WhenEmpty): void {
		if (this.#recompute.get(sessionRowId) !== "drop") this.#recompute.set(sessionRowId, whenEmpty);
	}

	flush(): void {
		for (const [id, { traces, totals, bounds }] of this.#gains)
			if (!this.#recompute.has(id)) this.#statements.add(id, traces, totals, bounds);
		for (const [id, whenEmpty] of this.#recompute) {
			this.#statements.recompute(id);
			if (whenEmpty !== "keep") this.#statements.dropEmpty(id, whenEmpty === "drop");
		}
		this.clear();
	}

	clear(): void {
		this.#gains.clear();
		this.#recompute.clear();
		this.#ids.clear();
	}
}

function wider(a: Bounds, b: Bounds): Bounds {
	const first =
		a.startMicros < b.startMicros || (a.startMicros === b.startMicros && a.startNanos <= b.startNanos) ? a : b;
	const last = a.endMicros > b.endMicros || (a.endMicros === b.endMicros && a.endNanos >= b.endNanos) ? a : b;
	const { startMicros, startNanos } = first;
	return { startMicros, startNanos, endMicros: last.endMicros, endNanos: last.endNanos };
}

export class SessionStatements {
	readonly #find: StatementSync;
	readonly #insert: StatementSync;
	readonly #bounds: StatementSync;
	readonly #add: StatementSync;
	readonly #recompute: StatementSync;
	readonly #dropEmpty: StatementSync;

	constructor(db: DatabaseSync) {
		this.#find = db.prepare("select id from sessions where project_id = ? and session_id = ?");
		this.#insert = db.prepare(
			`insert into sessions (project_id, session_id, start_micros, start_nanos, end_micros, end_nanos, trace_count,
				span_count, error_count, tokens_prompt, tokens_completion, tokens_total, cost_pico, costed_spans)
			values (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0)`,
		);
		this.#bounds = db.prepare(
			"select start_micros, start_nanos, end_micros, end_nanos, trace_count from sessions where id = ?",
		);
		this.#add = db.prepare(
			`update sessions set start_micros = ?, start_nanos = ?, end_micros = ?, end_nanos = ?,
				trace_count = trace_count + ?, span_count = span_count + ?, error_count = error_count + ?,
				tokens_prompt = tokens_prompt + ?, tokens_completion = tokens_completion + ?,
				tokens_total = tokens_total + ?, cost_pico = cost_pico + ?, costed_spans = costed_spans + ?
			where id = ?`,
		);
		// A session without traces keeps the times it had.
		this.#recompute = db.prepare(
			`update sessions set (trace_count, span_count, error_count, tokens_prompt, tokens_completion, tokens_total,
				cost_pico, costed_spans) = (
					select count(*), coalesce(sum(span_count), 0), coalesce(sum(error_count), 0),
						coalesce(sum(tokens_prompt), 0), coalesce(sum(tokens_completion), 0), coalesce(sum(tokens_total), 0),
						coalesce(sum(cost_pico), 0), coalesce(sum(costed_spans), 0)
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
				and (? = 1 or not exists (select 1 from annotations where session_row_id = sessions.id))`,
		);
	}

	findOrInsert(projectId: number, sessionId: string, { startMicros, startNanos, endMicros, endNanos }: Bounds): number {
		const row = this.#find.get(projectId, sessionId);
		if (row !== undefined) return Number(row["id"]);
		const inserted = this.#insert.run(projectId, sessionId, startMicros, startNanos, endMicros, endNanos);
		return Number(inserted.lastInsertRowid);
	}

	add(id: number, traces: number, totals: Totals, bounds: Bounds): void {
		const row = this.#bounds.get(id);
		if (row === undefined) throw new Error(`session ${id} vanished within a transaction`);
		const stored = {
			startMicros: Number(row["start_micros"]),
			startNanos: Number(row["start_nanos"]),
			endMicros: Number(row["end_micros"]),
			endNanos: Number(row["end_nanos"]),
		};
		// A session that its traces had left keeps old times, which say nothing about what comes now.
		const { startMicros, startNanos, endMicros, endNanos } = row["trace_count"] === 0 ? bounds : wider(stored, bounds);
		const { spans, errors, prompt, completion, total, costPico, costed } = totals;
		this.#add.run(
			startMicros,
			startNanos,
			endMicros,
			endNanos,
			traces,
			spans,
			errors,
			prompt,
			completion,
			total,
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
