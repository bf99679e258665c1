import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, getRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import { lastLookedUp } from "../read/span-lookup.ts";

/** Smallest run: fewer spans are searched quickly without one. */
const LEAST_SPANS = 20_000;
const MOST_SPANS = 100_000;
/** Rows per transaction: about 5 ms under the write lock. */
const STEP_ROWS = 5_000;

interface Draft {
	readonly run: number;
	readonly firstSpan: number;
	readonly lastSpan: number;
	/** Sorted by span id. */
	readonly entries: readonly { readonly id: number; readonly span_id: Uint8Array }[];
	written: number;
}

/** Adds sorted runs to `span_lookup`, in steps; a run is used once it is complete. */
export class SpanLookupFiller {
	readonly #db: DatabaseSync;
	readonly #insert: StatementSync;
	#draft: Draft | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#insert = db.prepare("insert or ignore into span_lookup (run, span_id, span) values (?, ?, ?)");
	}

	/** Reads and sorts the next run, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		this.#draft ??= this.#newDraft();
		return this.#draft !== undefined;
	}

	/** Writes the next part. Call it within a transaction. */
	write(): void {
		const draft = this.#draft;
		if (draft === undefined) return;
		const part = draft.entries.slice(draft.written, draft.written + STEP_ROWS);
		for (const { id, span_id } of part) this.#insert.run(draft.run, span_id, id);
		draft.written += part.length;
		if (draft.written < draft.entries.length) return;
		this.#db
			.prepare("insert into span_lookup_runs (run, first_span, last_span) values (?, ?, ?)")
			.run(draft.run, draft.firstSpan, draft.lastSpan);
		this.#draft = undefined;
	}

	/** Discards what was prepared, after writing failed; the next run starts over. */
	abandon(): void {
		this.#draft = undefined;
	}

	#newDraft(): Draft | undefined {
		const firstSpan = lastLookedUp(this.#db) + 1;
		const { id: newest } = getRow<{ id: number }>(this.#db.prepare("select coalesce(max(id), 0) as id from spans"));
		if (newest - firstSpan < LEAST_SPANS) return undefined;
		const rows = listRows<Draft["entries"][number]>(
			this.#db.prepare("select id, span_id from spans where id >= ? order by id limit ?"),
			firstSpan,
			MOST_SPANS,
		);
		const last = rows.at(-1);
		if (last === undefined) return undefined;
		rows.sort((a, b) => Buffer.compare(a.span_id, b.span_id) || a.id - b.id);
		const { run } = getRow<Pick<Run, "run">>(
			this.#db.prepare("select coalesce(max(run), 0) + 1 as run from span_lookup_runs"),
		);
		return { run, firstSpan, lastSpan: last.id, entries: rows, written: 0 };
	}
}

interface Run {
	readonly run: number;
	readonly first_span: number;
	readonly last_span: number;
}

/** Whether all spans of the oldest run are deleted. */
export function hasDeadRun(db: DatabaseSync): boolean {
	const oldest = oldestRun(db);
	if (oldest === undefined) return false;
	return !hasRow(
		db.prepare("select 1 from spans where id between ? and ? limit 1"),
		oldest.first_span,
		oldest.last_span,
	);
}

/** Call it within a transaction, after `hasDeadRun`; deleted spans do not come back. */
export function dropDeadRun(db: DatabaseSync): void {
	const oldest = oldestRun(db);
	if (oldest === undefined) return;
	db.prepare("delete from span_lookup where run = ?").run(oldest.run);
	db.prepare("delete from span_lookup_runs where run = ?").run(oldest.run);
}

function oldestRun(db: DatabaseSync): Run | undefined {
	return findRow<Run>(db.prepare("select run, first_span, last_span from span_lookup_runs order by run limit 1"));
}
