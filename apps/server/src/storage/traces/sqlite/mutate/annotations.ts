import type { DatabaseSync } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";

/** The annotations of a trace and its spans, which moved to another project as they are. */
export function moveAnnotations(db: DatabaseSync, traceRowId: number, projectId: number): void {
	db.prepare("update annotations set project_id = ? where trace_row_id = ?").run(projectId, traceRowId);
}

interface Merge {
	/** Row numbers of traces. */
	readonly from: number;
	readonly to: number;
	/** Of the trace that stays. */
	readonly projectId: number;
	/** Spans that both have: the row that goes, and the one that stays. */
	readonly spans: ReadonlyMap<number, number>;
}

/** As {@link moveAnnotations}, for a trace that joins another; of two annotations of the same thing the newer stays. */
export function mergeAnnotations(db: DatabaseSync, { from, to, projectId, spans }: Merge): void {
	const annotated = listRows<{ id: number }>(
		db.prepare("select distinct span_row_id as id from annotations where trace_row_id = ? and span_row_id is not null"),
		from,
	);
	for (const { id } of annotated) {
		const span = spans.get(id);
		if (span === undefined) continue;
		dropOlder(db, ["span", "document"], id, span);
		db.prepare("update annotations set target_row_id = ?, span_row_id = ? where span_row_id = ?").run(span, span, id);
	}
	dropOlder(db, ["trace"], from, to);
	db.prepare("update annotations set target_row_id = ? where target = 'trace' and target_row_id = ?").run(to, from);
	db.prepare("update annotations set project_id = ?, trace_row_id = ? where trace_row_id = ?").run(projectId, to, from);
}

/** A session whose last trace was moved becomes the one of the same id where that trace is now. */
export function mergeSessionAnnotations(db: DatabaseSync, from: number, to: number): void {
	const isSame = db.prepare(
		`select moved.project_id from sessions as left_behind join sessions as moved on moved.session_id = left_behind.session_id
		where left_behind.id = ? and moved.id = ?
			and not exists (select 1 from traces where session_row_id = left_behind.id)`,
	);
	const session = findRow<{ project_id: number }>(isSame, from, to);
	if (session === undefined) return;
	dropOlder(db, ["session"], from, to);
	db.prepare(
		"update annotations set project_id = ?, target_row_id = ?, session_row_id = ? where session_row_id = ?",
	).run(session.project_id, to, to, from);
}

/** Of two annotations that would be of one key once they are on the same row, the one that was changed later stays. */
function dropOlder(db: DatabaseSync, targets: readonly string[], from: number, to: number): void {
	db.prepare(
		`delete from annotations where id in (
			select case when moving.updated_at > present.updated_at then present.id else moving.id end
			from annotations as moving join annotations as present on present.target = moving.target
				and present.target_row_id = ? and present.document_position = moving.document_position
				and present.name = moving.name and present.identifier = moving.identifier
			where moving.target in (select value from json_each(?)) and moving.target_row_id = ?)`,
	).run(to, JSON.stringify(targets), from);
}
