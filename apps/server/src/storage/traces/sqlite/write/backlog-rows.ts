import type { DatabaseSync, StatementSync } from "node:sqlite";
import { newGeneration } from "#storage/traces/error-backlog.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";

/** The rows of `error_backlog`: traces to look at for failures. */
export class BacklogRows {
	readonly #mark: StatementSync;
	readonly #markAgain: StatementSync;

	constructor(db: DatabaseSync) {
		const insert = "insert into error_backlog (trace_row_id, first_at, last_at, generation)";
		const again = `on conflict (trace_row_id) do update
			set last_at = max(last_at, excluded.last_at), generation = excluded.generation`;
		this.#mark = db.prepare(`${insert} values (?1, ?2, ?2, ?3) ${again}`);
		this.#markAgain = db.prepare(`
			${insert} select ?1, ?2, ?2, ?3
			where exists (select 1 from error_backlog where trace_row_id = ?1)
				or exists (select 1 from error_occurrences where trace_row_id = ?1) ${again}`);
	}

	/** Spans of the trace were deleted: what they had failed by may be the failure of another one now. */
	markShrunk({ id, error_count }: Pick<TraceRow, "id" | "error_count">): void {
		if (error_count > 0) this.mark(id);
		else this.markAgain(id);
	}

	/** A span of the trace may have failed. */
	mark(traceRowId: number): void {
		this.#mark.run(traceRowId, Date.now() * 1_000, newGeneration());
	}

	/** The trace has other spans than before, which matters where some have failed. */
	markAgain(traceRowId: number): void {
		this.#markAgain.run(traceRowId, Date.now() * 1_000, newGeneration());
	}
}
