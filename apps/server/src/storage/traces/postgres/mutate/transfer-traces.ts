import { present } from "#base/present.ts";
import { isViolation } from "#storage/postgres/storage-errors.ts";
import { SESSION_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import { BATCH_SPANS } from "#storage/traces/mutate/batches.ts";
import { findDuplicates } from "#storage/traces/mutate/duplicates.ts";
import type { MergedSession } from "#storage/traces/references.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { lockLogs } from "../write/log-rows.ts";
import { LostRace } from "../write/lost-race.ts";
import { deleteSpans } from "./delete-traces.ts";
import { moveLogs } from "./log-records.ts";
import { type ChangedTrace, rebuildTraces, withdrawSpans } from "./rebuild-traces.ts";
import { lockTracesExclusively, readSpans, type TraceSpan } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

export interface TransferStep {
	/** How many of the given row numbers have been handled, from the front. */
	readonly dealtWith: number;
	/** Traces that were moved, as they were before, and the row number of the trace that has their spans now. */
	readonly moved: readonly Move[];
}

interface Move {
	readonly from: TraceRow;
	readonly to: number;
}

/**
 * Moves the first of these traces to another project, where each is merged with a trace of the same id, and its session
 * with one of the same id. Spans that the destination has already are dropped. Annotations move with their targets.
 * @throws Error when there is no such project
 */
export async function transferTraces(
	transaction: MutationTransaction,
	traceRowIds: readonly number[],
	destinationProjectId: number,
): Promise<TransferStep> {
	const { client } = transaction;
	const { rowCount: exists } = await client.query("select from projects where id = $1 for key share", [
		destinationProjectId,
	]);
	if (exists === 0) throw new Error(`there is no project ${destinationProjectId} to move traces to`);
	const { dealtWith, sources, targets } = await lockBatch(transaction, traceRowIds, destinationProjectId);
	const spans = Map.groupBy(
		await readSpans(
			client,
			[...sources, ...targets.values()].map(({ id }) => id),
		),
		(span) => span.traceRowId,
	);
	await moveLogs(client, sources, destinationProjectId);
	const changed: ChangedTrace[] = [];
	for (const row of sources) {
		const own = present(spans.get(row.id), `the spans of trace row ${row.id}`);
		withdraw(transaction, row, own);
		const target = targets.get(toHex(row.trace_id));
		changed.push(
			target === undefined
				? await moveAlone(transaction, { row, spans: own }, destinationProjectId)
				: await join(
						transaction,
						{ row, spans: own },
						{ row: target, spans: present(spans.get(target.id), `the spans of trace row ${target.id}`) },
					),
		);
	}
	await rebuildTraces(transaction, changed, "drop_unannotated");
	await transaction.flushSessions();
	const moved = sources.map((from, index) => ({ from, to: present(changed[index], "a moved trace").row.id }));
	await mergeSessions(transaction, moved);
	return { dealtWith, moved };
}

/** Locks the traces of a batch and those of the same ids at the destination; by id in hex. */
async function lockBatch(
	{ client }: MutationTransaction,
	traceRowIds: readonly number[],
	destinationProjectId: number,
): Promise<{ dealtWith: number; sources: TraceRow[]; targets: ReadonlyMap<string, TraceRow> }> {
	const { rows } = await client.query<Pick<TraceRow, "id" | "trace_id" | "span_count" | "project_id">>(
		"select id, trace_id, span_count, project_id from traces where id = any($1::bigint[])",
		[traceRowIds],
	);
	const found = new Map(rows.map((row) => [row.id, row]));
	const batch = new Map<string, (typeof rows)[number]>();
	let dealtWith = 0;
	let spans = 0;
	for (const id of traceRowIds) {
		const row = found.get(id);
		if (batch.size > 0 && spans + (row?.span_count ?? 0) > BATCH_SPANS) break;
		// If two traces of different projects have the same id, the second is merged with the next batch.
		if (row !== undefined && batch.has(toHex(row.trace_id))) break;
		dealtWith += 1;
		if (row === undefined || row.project_id < 0 || row.project_id === destinationProjectId) continue;
		batch.set(toHex(row.trace_id), row);
		spans += row.span_count;
	}
	await lockLogs(client, [], [...batch.keys()]);
	const ids = new Set([...batch.values()].map((row) => row.id));
	const { rows: there } = await client.query<{ id: number }>(
		"select id from traces where project_id = $1 and trace_id = any($2::bytea[])",
		[destinationProjectId, [...batch.values()].map((row) => row.trace_id)],
	);
	const locked = await lockTracesExclusively(client, [...ids, ...there.map((row) => row.id)]);
	const targets = locked.filter((row) => row.project_id === destinationProjectId);
	const sources = locked.filter((row) => ids.has(row.id) && row.project_id > 0 && !targets.includes(row));
	return { dealtWith, sources, targets: new Map(targets.map((row) => [toHex(row.trace_id), row])) };
}

function withdraw(transaction: MutationTransaction, row: TraceRow, spans: readonly TraceSpan[]): void {
	withdrawSpans(transaction, row, spans);
	transaction.hours.addTrace(row.project_id, row.start_micros, rootOf(row), -1);
	if (row.session_row_id !== null) transaction.sessions.shrink(row.session_row_id, "drop_unannotated");
}

async function moveAlone(
	{ client, hours, references }: MutationTransaction,
	{ row, spans }: ChangedTrace,
	projectId: number,
): Promise<ChangedTrace> {
	hours.addTrace(projectId, row.start_micros, rootOf(row), 1);
	await client.query("update spans set project_id = $2 where trace_row_id = $1", [row.id, projectId]);
	try {
		await client.query("update traces set project_id = $2, session_row_id = null where id = $1", [row.id, projectId]);
	} catch (error) {
		throw isViolation(error) ? new LostRace("a trace of the same id came to the destination") : error;
	}
	await references.traceMoved(client, row.id, projectId);
	return { row: { ...row, project_id: projectId, session_row_id: null }, spans };
}

async function join(
	transaction: MutationTransaction,
	{ row, spans }: ChangedTrace,
	target: ChangedTrace,
): Promise<ChangedTrace> {
	const { client, references } = transaction;
	const projectId = target.row.project_id;
	withdrawSpans(transaction, target.row, target.spans);
	const duplicates = findDuplicates(
		spans.map(({ node }) => node),
		target.spans.map(({ node }) => node),
	);
	await references.traceMerged(client, { from: row.id, to: target.row.id, projectId, spans: duplicates });
	await deleteSpans(
		transaction,
		[...spans, ...target.spans].filter(({ id }) => duplicates.has(id)),
	);
	await client.query("update spans set project_id = $2, trace_row_id = $3 where trace_row_id = $1", [
		row.id,
		projectId,
		target.row.id,
	]);
	await client.query("delete from traces where id = $1", [row.id]);
	// Dropping content may have moved other spans within their blocks.
	return { row: target.row, spans: await readSpans(client, [target.row.id]) };
}

/** Annotations of sessions that became empty move to the session of the same id that has their last trace now. */
async function mergeSessions({ client, references }: MutationTransaction, moves: readonly Move[]): Promise<void> {
	const left = moves.filter(({ from }) => from.session_row_id !== null);
	const { rows } = await client.query<MergedSession>(
		`select distinct left_behind.id as "from", now.id as "to", now.project_id as "projectId"
		from unnest($1::bigint[], $2::bigint[]) as moved (session_row_id, to_trace)
			join traces on traces.id = moved.to_trace
			join sessions as left_behind on left_behind.id = moved.session_row_id
			join sessions as now on now.id = traces.session_row_id and now.session_id = left_behind.session_id
		where not exists (select from traces where session_row_id = left_behind.id)`,
		[left.map(({ from }) => from.session_row_id), left.map(({ to }) => to)],
	);
	for (const merged of rows) await references.sessionMerged(client, merged);
	await client.query(
		`delete from sessions where id = any($1::bigint[]) and trace_count = 0
			and not ${SESSION_IS_ANNOTATED}`,
		[left.map(({ from }) => from.session_row_id)],
	);
}

function rootOf(row: TraceRow): { kind: number; model: string | null } {
	return { kind: row.root_kind, model: row.root_model };
}
