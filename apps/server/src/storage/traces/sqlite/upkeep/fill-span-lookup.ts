import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, getRow, hasRow } from "#storage/sqlite/rows.ts";
import { lastLookedUp } from "../read/span-lookup.ts";

/** Smallest run: fewer spans are searched quickly without one. */
const LEAST_SPANS = 20_000;
const MOST_SPANS = 100_000;
/** Rows per transaction: about 5 ms under the write lock. */
const STEP_ROWS = 5_000;

/** A run whose spans are in `temp.span_lookup_draft`, in the order of their span ids, at positions from 1. */
interface Draft {
	readonly run: number;
	readonly firstSpan: number;
	readonly lastSpan: number;
	readonly spans: number;
	written: number;
}

/**
 * Adds sorted runs to `span_lookup`, in steps; a run is used once it is complete. SQLite sorts and copies them, as rows
 * would be garbage of JavaScript: one object and one array a span.
 */
export class SpanLookupFiller {
	readonly #db: DatabaseSync;
	readonly #sort: StatementSync;
	readonly #insert: StatementSync;
	#draft: Draft | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		db.exec("create temp table span_lookup_draft (position integer primary key, span_id blob not null, id integer)");
		this.#sort = db.prepare(
			`insert into temp.span_lookup_draft (span_id, id) select span_id, id from
				(select span_id, id from spans where id >= ? order by id limit ${MOST_SPANS}) order by span_id, id`,
		);
		this.#insert = db.prepare(
			`insert or ignore into span_lookup (run, span_id, span)
				select ?, span_id, id from temp.span_lookup_draft where position > ? and position <= ?`,
		);
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
		this.#insert.run(draft.run, draft.written, draft.written + STEP_ROWS);
		draft.written += STEP_ROWS;
		if (draft.written < draft.spans) return;
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
		this.#db.exec("delete from temp.span_lookup_draft");
		this.#sort.run(firstSpan);
		const { spans, lastSpan } = getRow<Pick<Draft, "spans" | "lastSpan">>(
			this.#db.prepare("select count(*) as spans, max(id) as lastSpan from temp.span_lookup_draft"),
		);
		const { run } = getRow<Pick<Run, "run">>(
			this.#db.prepare("select coalesce(max(run), 0) + 1 as run from span_lookup_runs"),
		);
		return { run, firstSpan, lastSpan, spans, written: 0 };
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
