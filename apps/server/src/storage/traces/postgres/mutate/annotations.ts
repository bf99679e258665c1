import type { ClientBase } from "pg";

/**
 * What is to be done before rows of spans go, which nothing refers to by a foreign key: their annotations go as well, and
 * examples of datasets that were made of them are of no span any more.
 */
export async function forgetSpans(client: ClientBase, spanRowIds: readonly number[]): Promise<void> {
	await client.query("delete from annotations where span_row_id = any($1::bigint[])", [spanRowIds]);
	await client.query("update dataset_examples set span_row_id = null where span_row_id = any($1::bigint[])", [
		spanRowIds,
	]);
}

/** The annotations of a trace and its spans, which moved to another project as they are. */
export async function moveAnnotations(client: ClientBase, traceRowId: number, projectId: number): Promise<void> {
	await client.query("update annotations set project_id = $2 where trace_row_id = $1", [traceRowId, projectId]);
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
export async function mergeAnnotations(client: ClientBase, { from, to, projectId, spans }: Merge): Promise<void> {
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
}

/** A session whose last trace was moved becomes the one of the same id where that trace is now. */
export async function mergeSessionAnnotations(client: ClientBase, from: number, to: number): Promise<void> {
	const { rows } = await client.query<{ project_id: number }>(
		`select moved.project_id from sessions as left_behind join sessions as moved on moved.session_id = left_behind.session_id
		where left_behind.id = $1 and moved.id = $2
			and not exists (select from traces where session_row_id = left_behind.id)`,
		[from, to],
	);
	const [session] = rows;
	if (session === undefined) return;
	await dropOlder(client, ["session"], new Map([[from, to]]));
	await client.query(
		"update annotations set project_id = $3, target_row_id = $2, session_row_id = $2 where session_row_id = $1",
		[from, to, session.project_id],
	);
}

/**
 * Of two annotations that would be of one key once they are on the same row, the one that was changed later stays.
 * @param rows row numbers of targets: from where annotations move, and where to
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
