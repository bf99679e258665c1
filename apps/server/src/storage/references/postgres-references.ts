import type { ClientBase } from "pg";
import { query } from "../traces/postgres/read/query.ts";
import { markTraces } from "../traces/postgres/write/backlog-rows.ts";
import type { References } from "../traces/references.ts";
import { itemsOfMergedSession, itemsOfMergedTrace, type Statement } from "./move-review-items.ts";
import { withdrawOccurrences } from "./withdraw-occurrences.ts";

export interface PostgresReferences extends References<ClientBase, Promise<void>> {
	/**
	 * Called before rows of spans are deleted, since no foreign key refers to them. References to traces and sessions
	 * follow by foreign keys.
	 */
	spansDeleted(client: ClientBase, spanRowIds: readonly number[]): Promise<void>;
	/** As `spansDeleted`, for all rows of a partition whose traces are gone. @param partition its name */
	partitionDropped(client: ClientBase, partition: string): Promise<void>;
}

export const postgresReferences: PostgresReferences = {
	/** Deletes their annotations and occurrences of errors, and detaches the dataset examples that were made from them. */
	async spansDeleted(client, spanRowIds) {
		await client.query("delete from annotations where span_row_id = any($1::bigint[])", [spanRowIds]);
		await client.query("delete from error_occurrences where span_row_id = any($1::bigint[])", [spanRowIds]);
		await client.query("update dataset_examples set span_row_id = null where span_row_id = any($1::bigint[])", [
			spanRowIds,
		]);
	},

	async partitionDropped(client, partition) {
		await client.query(
			`update dataset_examples set span_row_id = null
			where span_row_id is not null and exists (select from ${partition} as spans where spans.id = span_row_id)`,
		);
	},

	async traceMoved(client, traceRowId, projectId) {
		await client.query("update annotations set project_id = $2 where trace_row_id = $1", [traceRowId, projectId]);
		await client.query("update review_items set project_id = $2 where trace_row_id = $1", [traceRowId, projectId]);
		await regroup(client, traceRowId, traceRowId);
	},

	async traceMerged(client, { from, to, projectId, spans }) {
		await dropOlder(client, ["span", "document"], spans);
		await client.query(
			`update annotations set target_row_id = merged.present, span_row_id = merged.present
			from unnest($1::bigint[], $2::bigint[]) as merged (moving, present) where span_row_id = merged.moving`,
			[[...spans.keys()], [...spans.values()]],
		);
		await dropOlder(client, ["trace"], new Map([[from, to]]));
		await client.query("update annotations set target_row_id = $2 where target = 'trace' and target_row_id = $1", [
			from,
			to,
		]);
		await client.query("update annotations set project_id = $3, trace_row_id = $2 where trace_row_id = $1", [
			from,
			to,
			projectId,
		]);
		const { rows } = await client.query("select from review_items where trace_row_id = $1 limit 1", [from]);
		if (rows.length > 0) await runAll(client, itemsOfMergedTrace({ from, to, projectId }, spans));
		await regroup(client, from, to);
		await markTraces(client, { failing: [], changed: [to] });
	},

	async sessionMerged(client, { from, to, projectId }) {
		await dropOlder(client, ["session"], new Map([[from, to]]));
		await client.query(
			"update annotations set project_id = $3, target_row_id = $2, session_row_id = $2 where session_row_id = $1",
			[from, to, projectId],
		);
		await runAll(client, itemsOfMergedSession({ from, to, projectId }));
	},

	async costsChanged(client, recomputation, spans) {
		await client.query("update cost_recomputations set changed_spans = changed_spans + $1 where id = $2", [
			spans,
			recomputation,
		]);
	},
};

async function runAll(client: ClientBase, statements: readonly Statement[]): Promise<void> {
	for (const { sql, values } of statements) await query(client, sql, [...values]);
}

/** Has the failures of a trace found anew in the one that has its spans now. */
async function regroup(client: ClientBase, from: number, to: number): Promise<void> {
	const { rows } = await client.query(
		`select from error_occurrences where trace_row_id = $1
		union all select from error_backlog where trace_row_id = $1 limit 1`,
		[from],
	);
	if (rows.length === 0) return;
	for (const statement of withdrawOccurrences("$1")) await client.query(statement, [from]);
	await markTraces(client, { failing: [to], changed: [] });
}

/**
 * Of two annotations that would have the same key after the move, keeps the one that was changed later.
 * @param rows row numbers of targets: from which, and to which annotations move
 */
async function dropOlder(
	client: ClientBase,
	targets: readonly string[],
	rows: ReadonlyMap<number, number>,
): Promise<void> {
	await client.query(
		`delete from annotations where id in (
			select case when moving.updated_at > present.updated_at then present.id else moving.id end
			from unnest($2::bigint[], $3::bigint[]) as merged (moving, present)
			join annotations as moving on moving.target = any($1::text[]) and moving.target_row_id = merged.moving
			join annotations as present on present.target = moving.target and present.target_row_id = merged.present
				and present.document_position = moving.document_position
				and present.name = moving.name and present.identifier = moving.identifier)`,
		[targets, [...rows.keys()], [...rows.values()]],
	);
}
