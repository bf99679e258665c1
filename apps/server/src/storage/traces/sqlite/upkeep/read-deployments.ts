import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import type { BlockSpan } from "#storage/traces/content/block.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import {
	type ReadSpan,
	readUnread,
	restOf,
	STEP_SPANS,
	traceAfter,
	type UnreadRange,
	type UnreadSpan,
} from "#storage/traces/totals/unread-deployments.ts";
import { TraceRows } from "../write/trace-rows.ts";

interface Prepared {
	readonly range: UnreadRange;
	readonly seen: readonly UnreadSpan[];
	readonly read: readonly ReadSpan[];
}

/** Reads release and environment of the spans that were stored before there were columns for them, the newest first. */
export class DeploymentReader {
	readonly #db: DatabaseSync;
	readonly #rows: TraceRows;
	readonly #place: StatementSync;
	readonly #updateSpan: StatementSync;
	readonly #updateTrace: StatementSync;
	#prepared: Prepared | undefined;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#rows = new TraceRows(db);
		this.#place = db.prepare("select id, trace_row_id, start_micros, block_id, ordinal from spans where id = ?");
		this.#updateSpan = db.prepare("update spans set release = ?, environment = ? where id = ?");
		this.#updateTrace = db.prepare(
			"update traces set release_span = ?, release = ?, environment_span = ?, environment = ? where id = ?",
		);
	}

	/** Reads the next spans, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		const range = findRow<UnreadRange>(
			this.#db.prepare("select first_span, last_span from unread_deployments order by first_span desc limit 1"),
		);
		if (range === undefined) return false;
		const seen = listRows<UnreadSpan>(
			this.#db.prepare(
				`select id, trace_row_id, start_micros, block_id, ordinal from spans
				where id between ? and ? order by id desc limit ${STEP_SPANS}`,
			),
			range.first_span,
			range.last_span,
		);
		this.#prepared = { range, seen, read: readUnread(seen, this.#blocks()) };
		return true;
	}

	/** Writes what was prepared. Call it within a transaction. */
	write(): void {
		if (this.#prepared === undefined) return;
		const { range, seen, read } = this.#prepared;
		this.#prepared = undefined;
		const current = read.flatMap((span) => this.#asStoredNow(span));
		for (const { id, release, environment } of current) this.#updateSpan.run(release, environment, id);
		for (const [traceRowId, spans] of Map.groupBy(current, (span) => span.trace_row_id)) {
			const row = this.#rows.traceById(traceRowId);
			// One that is being deleted has lost some of its spans.
			if (row === undefined || row.project_id < 0) continue;
			const nodeById = (id: number) => this.#rows.nodeById(id);
			const after = traceAfter(
				row,
				spans.map(({ id }) => nodeById(id)),
				nodeById,
			);
			const { release_span, release, environment_span, environment } = after;
			this.#updateTrace.run(release_span, release, environment_span, environment, traceRowId);
		}
		this.#db.prepare("delete from unread_deployments where first_span = ?").run(range.first_span);
		const rest = restOf(range, seen);
		if (rest !== undefined)
			this.#db
				.prepare("insert into unread_deployments (first_span, last_span) values (?, ?)")
				.run(rest.first_span, rest.last_span);
	}

	/** Discards what was prepared, after writing failed. */
	abandon(): void {
		this.#prepared = undefined;
	}

	/** Writers may have moved its content meanwhile, ended it with other attributes, or deleted it. */
	#asStoredNow(span: ReadSpan): readonly ReadSpan[] {
		const now = findRow<UnreadSpan>(this.#place, span.id);
		if (now === undefined) return [];
		if (now.block_id === span.block_id && now.ordinal === span.ordinal) return [{ ...span, ...now }];
		return readUnread([now], this.#blocks());
	}

	/** The spans of blocks, each of which is read once. */
	#blocks(): (blockId: number) => readonly BlockSpan[] {
		const find = this.#db.prepare("select data from blocks where id = ?");
		const known = new Map<number, readonly BlockSpan[]>();
		return (blockId) => {
			const spans = known.get(blockId) ?? readBlock(blockId, findRow<{ data: Uint8Array }>(find, blockId)?.data);
			known.set(blockId, spans);
			return spans;
		};
	}
}
