import { OtlpDecodeError } from "@spanward/otlp";
import type { ClientBase } from "pg";
import { storableText } from "#storage/postgres/storable-text.ts";
import { BATCH_SPANS } from "#storage/traces/mutate/batches.ts";
import type { RecountRange } from "#storage/traces/mutate/recounting-repairs.ts";
import { isSameRow } from "#storage/traces/mutate/same-row.ts";
import { HOUR_MICROS, HourChanges, type HourRow } from "#storage/traces/totals/hour-changes.ts";
import { hourIsRight } from "#storage/traces/totals/hour-is-right.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import { rebuildTraces, withdrawSpans } from "./rebuild-traces.ts";
import { lockTracesExclusively, readSpans } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

const STEP_TRACES = 100;

/** The next traces to compute anew. @returns `last` undefined when there are no more after them */
export async function nextTraces(
	client: Pick<ClientBase, "query">,
	{ projectId, startMicros, endMicros }: RecountRange,
	after: number,
): Promise<{ readonly ids: readonly number[]; readonly last: number | undefined }> {
	const { rows } = await client.query<{ id: number; span_count: number }>(
		`select id, span_count from traces where id > $1 and project_id > 0 and ($2::bigint is null or project_id = $2)
			and start_micros >= $3 and start_micros < $4 order by id limit ${STEP_TRACES}`,
		[after, projectId ?? null, startMicros ?? 0, endMicros ?? Number.MAX_SAFE_INTEGER],
	);
	let spans = 0;
	const ids: number[] = [];
	for (const { id, span_count } of rows) {
		spans += span_count;
		if (ids.length > 0 && spans > BATCH_SPANS) break;
		ids.push(id);
	}
	return { ids, last: rows.length < STEP_TRACES && ids.length === rows.length ? undefined : ids.at(-1) };
}

/** Thrown to undo a transaction that only looked, or found nothing wrong. */
export class OnlyLooked extends Error {
	override readonly name = "OnlyLooked";
	readonly isWrong: boolean;

	constructor(isWrong: boolean) {
		super("nothing is to be kept");
		this.isWrong = isWrong;
	}
}

/** Computes a trace anew. @throws OnlyLooked when nothing is to be changed */
export async function recountTrace(transaction: MutationTransaction, id: number, isDryRun: boolean): Promise<void> {
	const { client } = transaction;
	const [row] = await lockTracesExclusively(client, [id]);
	const spans = row === undefined || row.project_id < 0 ? [] : await readSpans(client, [id]);
	// A trace without spans is not known to come about.
	if (row === undefined || spans.length === 0) throw new OnlyLooked(false);
	const before = await rowsOf(client, id);
	withdrawSpans(transaction, row, spans);
	try {
		await rebuildTraces(transaction, [{ row, spans }], "keep");
	} catch (error) {
		// Nothing can be computed from a span that is damaged.
		if (error instanceof OtlpDecodeError) throw new OnlyLooked(true);
		throw error;
	}
	await transaction.flushSessions();
	const now = await rowsOf(client, id);
	const isRight = before.length === now.length && before.every((one, index) => isSameRow(one, now[index] ?? {}));
	if (isRight || isDryRun) throw new OnlyLooked(!isRight);
}

/** Of the trace, its session and its spans. */
async function rowsOf(client: ClientBase, id: number): Promise<Readonly<Record<string, unknown>>[]> {
	const rows: Readonly<Record<string, unknown>>[] = [];
	for (const sql of [
		"select * from traces where id = $1",
		"select * from sessions where id = (select session_row_id from traces where id = $1)",
		"select id, flags from spans where trace_row_id = $1 order by id",
	])
		rows.push(...(await client.query(sql, [id])).rows);
	return rows;
}

/** Whether the totals of an hour are those of its spans and traces; the connection has to be in one snapshot. */
export async function isHourRight(client: ClientBase, projectId: number, hour: number): Promise<boolean> {
	const counted = new HourChanges();
	await countInto(client, counted, projectId, hour);
	const { rows } = await client.query<HourRow>("select * from hours where project_id = $1 and hour = $2", [
		projectId,
		hour,
	]);
	return hourIsRight(rows, counted.list(), storableText);
}

/** Puts what the spans and traces of an hour give in the place of its totals. Nobody else changes totals meanwhile. */
export async function replaceHour(transaction: MutationTransaction, projectId: number, hour: number): Promise<void> {
	const { client, hours } = transaction;
	// Who has changed totals has committed its spans; spans of others do not show yet, and their totals come later.
	await client.query("lock table hours in share row exclusive mode");
	await client.query("delete from hours where project_id = $1 and hour = $2", [projectId, hour]);
	await countInto(client, hours, projectId, hour);
}

/** Spans of a trace that is being deleted count until they are gone. */
async function countInto(client: ClientBase, counted: HourChanges, projectId: number, hour: number): Promise<void> {
	const range = [hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS];
	for (let after = 0; ; ) {
		const { rows } = await client.query<NodeRow>(
			`select ${NODE_COLUMNS} from spans where project_id = $1 and start_micros >= $2 and start_micros < $3 and id > $4
			order by id limit 10000`,
			[projectId, ...range, after],
		);
		for (const row of rows) counted.addSpan(projectId, nodeOfRow(row), 1);
		const last = rows.at(-1);
		if (last === undefined) break;
		after = last.id;
	}
	const { rows } = await client.query<{ start_micros: number; kind: number; model: string | null; count: number }>(
		`select min(start_micros) as start_micros, root_kind as kind, root_model as model, count(*) as count from traces
		where project_id = $1 and start_micros >= $2 and start_micros < $3 group by root_kind, root_model`,
		[projectId, ...range],
	);
	for (const { start_micros, kind, model, count } of rows)
		counted.addTrace(projectId, start_micros, { kind, model }, count);
}
