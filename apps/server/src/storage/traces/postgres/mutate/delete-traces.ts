import { shrunk } from "#storage/traces/error-backlog.ts";
import { BATCH_SPANS, takeBatch, type WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { keysOfBlocks, monthOf } from "../periods.ts";
import { markTraces } from "../write/backlog-rows.ts";
import { lockLogs } from "../write/log-rows.ts";
import { LostRace } from "../write/lost-race.ts";
import { removeFromBlocks, type SpanInBlock } from "./blocks.ts";
import { deleteLogsOfSpans } from "./log-records.ts";
import { rebuildTraces, withdrawSpans } from "./rebuild-traces.ts";
import { lockTracesExclusively, readSpans, selectSpans, type TraceSpan } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

/** Deletes one span, and its trace if it has no other span. */
export async function deleteSpan(transaction: MutationTransaction, spanRowId: number): Promise<TraceRow | undefined> {
	const { client, spend } = transaction;
	spend.keep();
	const { rows } = await client.query<Pick<TraceSpan, "trace_id"> & { trace_row_id: number }>(
		"select trace_id, trace_row_id from spans where id = $1",
		[spanRowId],
	);
	const [found] = rows;
	if (found === undefined) return undefined;
	await lockLogs(client, [], [toHex(found.trace_id)]);
	const [row] = await lockTracesExclusively(client, [found.trace_row_id]);
	const spans = row === undefined ? [] : await readSpans(client, [row.id]);
	const span = spans.find(({ id }) => id === spanRowId);
	// Its trace was deleted or merged into another one.
	if (row === undefined || span === undefined) throw new LostRace(`span row ${spanRowId} is no longer where it was`);
	if (row.project_id < 0) return undefined;
	if (spans.length === 1) {
		await deleteBatch(transaction, [row], "keep");
		return row;
	}
	withdrawSpans(transaction, row, spans);
	await deleteSpans(transaction, [span]);
	await deleteLogsOfSpans(client, row.project_id, [span]);
	// The remaining spans have new places in the block.
	await rebuildTraces(transaction, [{ row, spans: await readSpans(client, [row.id]) }], "keep");
	await markTraces(client, shrunk([row]));
	return row;
}

/**
 * Deletes spans of a project, those of as many traces as one transaction changes, and traces that have no other span.
 * @returns the changed traces as they were, and the spans that are left for another transaction
 */
export async function deleteChosenSpans(
	transaction: MutationTransaction,
	projectId: number,
	spanRowIds: readonly number[],
): Promise<{ changed: readonly TraceRow[]; rest: readonly number[] }> {
	const { client, spend } = transaction;
	spend.keep();
	const { rows: found } = await client.query<{
		id: number;
		trace_row_id: number;
		trace_id: Buffer;
		span_count: number;
	}>(
		`select spans.id, trace_row_id, traces.trace_id, traces.span_count
		from spans join traces on traces.id = spans.trace_row_id
		where spans.id = any($1::bigint[]) and traces.project_id = $2`,
		[spanRowIds, projectId],
	);
	const chosen: typeof found = [];
	const rest: number[] = [];
	let touched = 0;
	for (const spans of Map.groupBy(found, (span) => span.trace_row_id).values()) {
		const [first] = spans;
		const size = first?.span_count ?? 0;
		if (touched > 0 && touched + size > BATCH_SPANS) rest.push(...spans.map(({ id }) => id));
		else {
			touched += size;
			chosen.push(...spans);
		}
	}
	await lockLogs(client, [], [...new Set(chosen.map((span) => toHex(span.trace_id)))]);
	// Some may have been moved meanwhile.
	const locked = await lockTracesExclusively(client, [...new Set(chosen.map((span) => span.trace_row_id))]);
	const changed = locked.filter((row) => row.project_id === projectId);
	const wanted = new Set(chosen.map(({ id }) => id));
	const ids = changed.map((row) => row.id);
	const before = Map.groupBy(await readSpans(client, ids), (span) => span.traceRowId);
	const isPartly = ({ id }: TraceRow) => before.get(id)?.some((span) => !wanted.has(span.id)) ?? false;
	const partly = changed.filter(isPartly);
	const whole = changed.filter((row) => !isPartly(row));
	const taken = await deleteBatch(transaction, whole, "drop_unannotated");
	// They have grown meanwhile.
	for (const { id } of whole.slice(taken)) rest.push(...(before.get(id) ?? []).map((span) => span.id));
	const gone: TraceSpan[] = [];
	for (const row of partly) {
		const spans = before.get(row.id) ?? [];
		withdrawSpans(transaction, row, spans);
		gone.push(...spans.filter(({ id }) => wanted.has(id)));
	}
	if (partly.length > 0) {
		await deleteSpans(transaction, gone);
		await deleteLogsOfSpans(client, projectId, gone);
		// The remaining spans have new places in the blocks.
		const partlyIds = partly.map(({ id }) => id);
		const after = Map.groupBy(await readSpans(client, partlyIds), (span) => span.traceRowId);
		const rebuilt = partly.map((row) => ({ row, spans: after.get(row.id) ?? [] }));
		await rebuildTraces(transaction, rebuilt, "drop_unannotated");
		await markTraces(client, shrunk(partly));
	}
	return { changed, rest };
}

/**
 * Deletes locked traces from the front of `rows` until a batch is full.
 * @returns how many of `rows` are gone
 */
export async function deleteBatch(
	transaction: MutationTransaction,
	rows: readonly TraceRow[],
	whenEmpty: WhenEmpty,
): Promise<number> {
	transaction.spend.keep();
	const { taken, whole, detached } = takeBatch(rows);
	for (const row of [...whole, ...detached]) withdrawTrace(transaction, row, whenEmpty);
	if (detached.length > 0) await detach(transaction, detached);
	if (whole.length > 0) await deleteWholeTraces(transaction, whole);
	return taken;
}

async function deleteWholeTraces(transaction: MutationTransaction, rows: readonly TraceRow[]): Promise<void> {
	const { client } = transaction;
	const ids = rows.map((row) => row.id);
	const spans = Map.groupBy(await readSpans(client, ids), (span) => span.traceRowId);
	for (const row of rows) withdrawSpans(transaction, row, spans.get(row.id) ?? []);
	await deleteSpans(transaction, [...spans.values()].flat());
	await client.query("delete from traces where id = any($1::bigint[])", [ids]);
	transaction.deletedTraces.push(...rows);
}

function withdrawTrace({ hours, sessions }: MutationTransaction, row: TraceRow, whenEmpty: WhenEmpty): void {
	hours.addTrace(row.project_id, row.start_micros, { kind: row.root_kind, model: row.root_model }, -1);
	if (row.session_row_id !== null) sessions.shrink(row.session_row_id, whenEmpty);
}

/** A very large trace cannot be detached while another one of its id still is: that one has to be deleted first. */
export class AnotherIsDetached extends Error {
	override readonly name = "AnotherIsDetached";
}

/** A detached trace keeps its row, with its project number negated, until its spans are deleted. */
async function detach({ client }: MutationTransaction, rows: readonly TraceRow[]): Promise<void> {
	const ids = rows.map((row) => row.id);
	const { rowCount } = await client.query(
		`select from traces as going join traces as detached
			on detached.trace_id = going.trace_id and detached.project_id = -going.project_id
		where going.id = any($1::bigint[]) limit 1`,
		[ids],
	);
	if (rowCount !== 0) throw new AnotherIsDetached("a trace of the same id is still being taken apart");
	await client.query("update traces set project_id = -project_id, session_row_id = null where id = any($1::bigint[])", [
		ids,
	]);
	// Others go with their spans.
	await client.query("delete from error_occurrences where trace_row_id = any($1::bigint[])", [ids]);
}

/** Deletes spans of locked traces, with their content and annotations. */
export async function deleteSpans(
	{ client, references }: MutationTransaction,
	spans: readonly SpanInBlock[],
): Promise<void> {
	await removeFromBlocks(client, spans);
	await references.spansDeleted(
		client,
		spans.map(({ id }) => id),
	);
	// The times say in which partitions to look.
	for (const members of Map.groupBy(spans, (span) => monthOf(span.start_micros)).values()) {
		const starts = members.map((span) => span.start_micros);
		await client.query("delete from spans where id = any($1::bigint[]) and start_micros between $2 and $3", [
			members.map(({ id }) => id),
			starts.reduce((a, b) => Math.min(a, b)),
			starts.reduce((a, b) => Math.max(a, b)),
		]);
	}
}

/** Spans that are read to find the next blocks of a trace. */
const LOOKED_AT = 256;
/** Blocks at a time; usual ones hold up to 128 spans. */
const MOST_BLOCKS = 20;

/** Whether there may be more to delete; "busy" when everything left is locked by others. */
export type Purged = "more" | "busy" | "done";

/** Deletes the spans in a few blocks of a detached trace that nobody else has locked. */
export async function purgeDetached(transaction: MutationTransaction): Promise<Purged> {
	const { client, spend } = transaction;
	spend.keep();
	const { rows } = await client.query<Pick<TraceRow, "id" | "project_id" | "trace_id" | "user_id">>(
		"select id, project_id, trace_id, user_id from traces where project_id < 0 order by id limit 1 for update skip locked",
	);
	const [row] = rows;
	if (row === undefined) {
		// Another process is deleting it, or has an uncommitted write from before it was detached.
		const { rowCount } = await client.query("select from traces where project_id < 0 limit 1");
		return rowCount === 0 ? "done" : "busy";
	}
	for (let spans = 0; spans < BATCH_SPANS; ) {
		const members = await nextMembers(transaction, row.id);
		if (members.length === 0) {
			await client.query("delete from traces where id = $1", [row.id]);
			transaction.deletedTraces.push(row);
			return "more";
		}
		withdrawSpans(transaction, row, members);
		await deleteSpans(transaction, members);
		spans += members.length;
	}
	return "more";
}

/** All spans of the trace in a few of its blocks; if those blocks are missing, the spans that were read. */
async function nextMembers({ client }: MutationTransaction, traceRowId: number): Promise<TraceSpan[]> {
	const { rows } = await client.query<SpanInBlock>(
		`select id, block_id, start_micros from spans where trace_row_id = $1 limit ${LOOKED_AT}`,
		[traceRowId],
	);
	const startOf = new Map(rows.map((row) => [row.block_id, row.start_micros]));
	const blocks = [...startOf].slice(0, MOST_BLOCKS);
	if (blocks.length === 0) return [];
	const members = await selectSpans(
		client,
		`trace_row_id = $1 and id in (
			select member.id from blocks cross join lateral (
				select spans.id from spans
				where spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id offset 0) as member
			where blocks.id = any($2::bigint[]) and blocks.month = any($3::bigint[]))`,
		[traceRowId, blocks.map(([id]) => id), keysOfBlocks(blocks.map(([, start]) => start))],
	);
	if (members.length > 0) return members;
	const ofBlocks = new Set(blocks.map(([id]) => id));
	const ids = rows.filter((row) => ofBlocks.has(row.block_id)).map(({ id }) => id);
	return await selectSpans(client, "trace_row_id = $1 and id = any($2::bigint[])", [traceRowId, ids]);
}
