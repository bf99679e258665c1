import type { DatabaseSync } from "node:sqlite";
import { hasRow, listRows } from "../sqlite/rows.ts";
import type { References } from "../traces/references.ts";
import { BacklogRows } from "../traces/sqlite/write/backlog-rows.ts";
import { itemsOfMergedSession, itemsOfMergedTrace, type Statement } from "./move-review-items.ts";
import { withdrawOccurrences } from "./withdraw-occurrences.ts";

export type SqliteReferences = References<DatabaseSync, void>;

/** References to deleted spans, traces and sessions follow by foreign keys. */
export const sqliteReferences: SqliteReferences = {
	traceMoved(db, traceRowId, projectId) {
		db.prepare("update annotations set project_id = ? where trace_row_id = ?").run(projectId, traceRowId);
		db.prepare("update review_items set project_id = ? where trace_row_id = ?").run(projectId, traceRowId);
		regroup(db, traceRowId, traceRowId);
	},

	traceMerged(db, { from, to, projectId, spans }) {
		const annotated = listRows<{ id: number }>(
			db.prepare(
				"select distinct span_row_id as id from annotations where trace_row_id in (?, ?) and span_row_id is not null",
			),
			from,
			to,
		);
		for (const { id } of annotated) {
			const span = spans.get(id);
			if (span === undefined) continue;
			dropOlder(db, ["span", "document"], id, span);
			db.prepare("update annotations set target_row_id = ?, span_row_id = ? where span_row_id = ?").run(span, span, id);
		}
		dropOlder(db, ["trace"], from, to);
		db.prepare("update annotations set target_row_id = ? where target = 'trace' and target_row_id = ?").run(to, from);
		db.prepare("update annotations set project_id = ?, trace_row_id = ? where trace_row_id = ?").run(
			projectId,
			to,
			from,
		);
		if (hasRow(db.prepare("select 1 from review_items where trace_row_id = ?"), from))
			runAll(db, itemsOfMergedTrace({ from, to, projectId }, spans));
		regroup(db, from, to);
		new BacklogRows(db).markAgain(to);
	},

	sessionMerged(db, { from, to, projectId }) {
		dropOlder(db, ["session"], from, to);
		db.prepare(
			"update annotations set project_id = ?, target_row_id = ?, session_row_id = ? where session_row_id = ?",
		).run(projectId, to, to, from);
		runAll(db, itemsOfMergedSession({ from, to, projectId }));
	},

	costsChanged(db, recomputation, spans) {
		const add = db.prepare("update cost_recomputations set changed_spans = changed_spans + ? where id = ?");
		add.run(spans, recomputation);
	},
};

function runAll(db: DatabaseSync, statements: readonly Statement[]): void {
	for (const { sql, values } of statements) db.prepare(sql).run(...values);
}

/** Has the failures of a trace found anew in the one that has its spans now. */
function regroup(db: DatabaseSync, from: number, to: number): void {
	const waitsOrFailed = `select 1 from error_occurrences where trace_row_id = ?1
		union all select 1 from error_backlog where trace_row_id = ?1`;
	if (!hasRow(db.prepare(waitsOrFailed), from)) return;
	for (const statement of withdrawOccurrences("?")) db.prepare(statement).run(from);
	new BacklogRows(db).mark(to);
}

/** Of two annotations that would have the same key after the move, keeps the one that was changed later. */
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
