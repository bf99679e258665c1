import type { DatabaseSync } from "node:sqlite";
import { keepProjectNameSql } from "#storage/projects/keep-project-name.ts";
import { hasRow, listRows } from "#storage/sqlite/rows.ts";
import type { ExpiredTraces, TraceCursor } from "#storage/traces/expiry/expired-traces.ts";
import { BATCH_SPANS, BATCH_TRACES, changesOf, type Step, type WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { PriceSpan } from "#storage/traces/mutate/price-rows.ts";
import type { RecountRange, TracesRecounted } from "#storage/traces/mutate/recounting-repairs.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { CostQuery, CostStep, TraceChange } from "#storage/traces/trace-store.ts";
import { deleteExpired } from "./delete-expired.ts";
import { deleteBatch, deleteSpan, deleteSpans, purgeDetached } from "./delete-traces.ts";
import { priceSpans, writeCosts } from "./recompute-costs.ts";
import { correctSpend, isSpendRight } from "./recount-spend.ts";
import { isHourRight, recountTraces, replaceHour } from "./recount-totals.ts";
import type { MutationTransaction } from "./transaction.ts";
import { transferTrace } from "./transfer-traces.ts";

/** Deletes and moves traces, one bounded transaction per call: call again until `done`. */
export class SqliteTraceMutations {
	readonly #db: DatabaseSync;
	readonly #transaction: MutationTransaction;

	constructor(db: DatabaseSync, transaction: MutationTransaction) {
		this.#db = db;
		this.#transaction = transaction;
	}

	deleteSpan(spanRowId: number): Step {
		return this.#transaction.run(() => {
			const row = deleteSpan(this.#db, this.#transaction, spanRowId);
			return { done: true, count: row === undefined ? 0 : 1, changes: changesOf(row === undefined ? [] : [row]) };
		});
	}

	/** @returns with the spans that are left for the next call */
	deleteSpans(projectId: number, spanRowIds: readonly number[]): Step & { readonly rest: readonly number[] } {
		return this.#transaction.run(() => {
			const { changed, count, rest } = deleteSpans(this.#db, this.#transaction, projectId, spanRowIds);
			return { done: rest.length === 0, count, changes: changesOf(changed), rest };
		});
	}

	deleteTraces(projectId: number, traceRowIds: readonly number[]): Step {
		const where = "id in (select value from json_each(?)) and project_id = ?";
		return this.#deleteTraces(where, [JSON.stringify(traceRowIds), projectId], "drop_unannotated");
	}

	deleteTrace(traceRowId: number): Step {
		return this.#deleteTraces("id = ? and project_id > 0", [traceRowId], "keep");
	}

	deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Step {
		const where = "project_id = ? and start_micros >= ? and start_micros < ?";
		return this.#deleteTraces(where, [projectId, startMicros, endMicros], "drop");
	}

	deleteExpired(traces: ExpiredTraces): Step & { readonly kept: number; readonly after: TraceCursor } {
		return this.#transaction.run(() => {
			const { deleted, kept, after, done } = deleteExpired(this.#db, this.#transaction, traces);
			return { done, count: deleted.length, changes: changesOf(deleted), kept, after };
		});
	}

	/** @param locked runs work under the write lock, which pricing does not need */
	recomputeCosts(
		query: CostQuery,
		priceOf: PriceSpan,
		locked: <T>(work: () => T) => T,
	): CostStep & { readonly changes: readonly TraceChange[] } {
		const batch = priceSpans(this.#db, query, priceOf);
		const { afterSpan, seen } = batch;
		if (batch.costs.size === 0) return { afterSpan, seen, changed: 0, changes: [] };
		const { changed, traceRowIds } = locked(() =>
			this.#transaction.run(() => writeCosts(this.#db, this.#transaction, batch, query.countedIn)),
		);
		return { afterSpan, seen, changed, changes: [{ projectId: query.projectId, traceRowIds }] };
	}

	recountTraces(range: RecountRange, after: number): TracesRecounted {
		return recountTraces(this.#db, this.#transaction, range, after);
	}

	/** @param locked runs work under the write lock, which looking does not need */
	recountHour(projectId: number, hour: number, isDryRun: boolean, locked: (work: () => void) => void): boolean {
		if (isHourRight(this.#db, projectId, hour)) return false;
		if (!isDryRun) locked(() => replaceHour(this.#db, this.#transaction, projectId, hour));
		return true;
	}

	/** As {@link recountHour}, of what the ledger says of a quarter. */
	recountSpend(projectId: number, quarter: number, isDryRun: boolean, locked: (work: () => void) => void): boolean {
		if (isSpendRight(this.#db, projectId, quarter)) return false;
		if (!isDryRun) locked(() => correctSpend(this.#db, this.#transaction, projectId, quarter));
		return true;
	}

	deleteTracesOfSession(sessionRowId: number): Step {
		return this.#deleteTraces("session_row_id = ?", [sessionRowId], "keep");
	}

	deleteTracesOfProject(projectId: number): Step {
		return this.#deleteTraces("project_id = ?", [projectId], "drop");
	}

	/** Deletes the row of a session that has no traces; not `done` when new ones have come. */
	deleteSessionRow(sessionRowId: number): Step {
		return this.#deleteRow("sessions", sessionRowId, "session_row_id = ?");
	}

	/** Deletes the row of a project without traces, and its sessions; not `done` when new traces have come. */
	deleteProjectRow(projectId: number): Step {
		return this.#deleteRow("projects", projectId, "project_id = ?", () => {
			this.#db.prepare("delete from sessions where project_id = ?").run(projectId);
			this.#db.prepare(keepProjectNameSql("?1", "?2")).run(Date.now() * 1_000, projectId);
		});
	}

	transferTraces(
		traceRowIds: readonly number[],
		destinationProjectId: number,
	): Step & { readonly moved: readonly number[] } {
		return this.#transaction.run(() => {
			if (!hasRow(this.#db.prepare("select 1 from projects where id = ?"), destinationProjectId))
				throw new Error(`there is no project ${destinationProjectId} to move traces to`);
			const moved: number[] = [];
			const changes: TraceChange[] = [];
			let spans = 0;
			let count = 0;
			for (const id of traceRowIds) {
				const row = this.#transaction.traces.traceById(id);
				if (moved.length > 0 && spans + (row?.span_count ?? 0) > BATCH_SPANS) break;
				moved.push(id);
				if (row === undefined || row.project_id < 0 || row.project_id === destinationProjectId) continue;
				const target = transferTrace(this.#db, this.#transaction, row, destinationProjectId);
				changes.push(...changesOf([row]), { projectId: destinationProjectId, traceRowIds: [target] });
				spans += row.span_count;
				count += 1;
				// The sums of sessions come from the rows of traces, so each move is flushed.
				this.#transaction.flushSessions();
			}
			return { done: moved.length === traceRowIds.length, count, changes, moved };
		});
	}

	/** Deletes some spans of detached traces, also of those that a stopped server left. */
	purge(): Step {
		const more = this.#transaction.run(() => purgeDetached(this.#db, this.#transaction));
		return { done: !more, count: 0, changes: [] };
	}

	#deleteTraces(where: string, values: readonly (number | string)[], whenEmpty: WhenEmpty): Step {
		return this.#transaction.run(() => {
			const rows = listRows<TraceRow>(
				this.#db.prepare(`select * from traces where ${where} limit ${BATCH_TRACES}`),
				...values,
			);
			const count = deleteBatch(this.#db, this.#transaction, rows, whenEmpty);
			const done = count === rows.length && rows.length < BATCH_TRACES;
			return { done, count, changes: changesOf(rows.slice(0, count)) };
		});
	}

	#deleteRow(table: "sessions" | "projects", id: number, traces: string, before?: () => void): Step {
		return this.#transaction.run(() => {
			if (hasRow(this.#db.prepare(`select 1 from traces where ${traces} limit 1`), id))
				return { done: false, count: 0, changes: [] };
			before?.();
			const { changes } = this.#db.prepare(`delete from ${table} where id = ?`).run(id);
			return { done: true, count: Number(changes), changes: [] };
		});
	}
}
