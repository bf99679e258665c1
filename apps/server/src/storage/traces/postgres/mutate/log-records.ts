import type { ClientBase, Pool } from "pg";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { hashInProject, hashOfLog, LOG_WAIT_MICROS } from "#storage/traces/content/log-record.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { lockLogs } from "../write/log-rows.ts";
import { inTransaction } from "../write/lost-race.ts";

/** The project of a log record has not its trace. One whose spans are being deleted is of no project. */
const WITHOUT_TRACE = `not exists (select from traces
	where traces.trace_id = log_records.trace_id and traces.project_id = log_records.project_id)`;

export type TraceKey = Pick<TraceRow, "project_id" | "trace_id">;

/**
 * Deletes log records of these traces, unless their project has one of their id again. Runs as a transaction of its own after the commit that
 * deleted the traces, as it waits for writers of the same ids, which would make others wait for the deletion. If it
 * fails, {@link deleteUnclaimedLogs} deletes them later.
 */
export async function deleteOrphanedLogs(
	client: ClientBase,
	traces: readonly TraceKey[],
	receivedBeforeMicros = Number.MAX_SAFE_INTEGER,
): Promise<void> {
	if (traces.length === 0) return;
	const { rows } = await client.query<TraceKey>(
		`select distinct project_id, trace_id from log_records
		where (project_id, trace_id) in (select * from unnest($1::bigint[], $2::bytea[]))
			and received_at < $3 and ${WITHOUT_TRACE}`,
		[...keysOf(traces), receivedBeforeMicros],
	);
	if (rows.length === 0) return;
	await inTransaction(client, async () => {
		await lockLogs(client, [], [...new Set(rows.map((row) => toHex(row.trace_id)))]);
		await client.query(
			`delete from log_records where (project_id, trace_id) in (select * from unnest($1::bigint[], $2::bytea[]))
				and received_at < $3 and ${WITHOUT_TRACE}`,
			[...keysOf(rows), receivedBeforeMicros],
		);
	});
}

function keysOf(traces: readonly TraceKey[]): [projects: number[], traceIds: Uint8Array[]] {
	return [traces.map((trace) => Math.abs(trace.project_id)), traces.map((trace) => trace.trace_id)];
}

/** Gives the log records that a project has of locked traces to another one; it has each once. */
export async function moveLogs(client: ClientBase, traces: readonly TraceKey[], to: number): Promise<void> {
	const { rows } = await client.query<{ id: number; data: Buffer }>(
		`select id, data from log_records where (project_id, trace_id) in (select * from unnest($1::bigint[], $2::bytea[]))
		order by id`,
		keysOf(traces),
	);
	if (rows.length === 0) return;
	const ids = rows.map(({ id }) => id);
	await client.query(
		`insert into log_records (project_id, trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
		select $3, trace_id, span_id, moved.hash, time_micros, time_nanos, received_at, data
		from unnest($1::bigint[], $2::bytea[]) as moved (id, hash) join log_records on log_records.id = moved.id
		on conflict do nothing`,
		[ids, rows.map(({ data }) => hashInProject(to, hashOfLog(decompress(data)))), to],
	);
	await client.query("delete from log_records where id = any($1::bigint[])", [ids]);
}

/**
 * As {@link deleteOrphanedLogs}, for spans of traces that stay. The caller has locked the log records of these traces.
 */
export async function deleteLogsOfSpans(
	client: ClientBase,
	projectId: number,
	spans: readonly { readonly trace_id: Uint8Array; readonly span_id: Uint8Array }[],
): Promise<void> {
	await client.query(
		`delete from log_records using unnest($1::bytea[], $2::bytea[]) as gone (trace_id, span_id)
		where log_records.trace_id = gone.trace_id and log_records.span_id = gone.span_id and log_records.project_id = $3
			and not exists (
				select from traces join spans on spans.trace_row_id = traces.id
				where traces.trace_id = gone.trace_id and traces.project_id = $3 and spans.span_id = gone.span_id)`,
		[spans.map(({ trace_id }) => trace_id), spans.map(({ span_id }) => span_id), projectId],
	);
}

/** Records per statement. */
const STEP_RECORDS = 1_000;

/** Deletes old log records whose span never came, going through all records in steps. */
export async function deleteUnclaimedLogs(pool: Pool, nowMicros: number, stopped: AbortSignal): Promise<void> {
	const receivedBefore = nowMicros - LOG_WAIT_MICROS;
	for (let after = 0; !stopped.aborted; ) {
		const { rows } = await pool.query<TraceKey & { id: number; received_at: number }>(
			`select id, project_id, trace_id, received_at from log_records where id > $1 order by id limit ${STEP_RECORDS}`,
			[after],
		);
		const last = rows.at(-1);
		if (last === undefined) return;
		after = last.id;
		const old = rows.filter((row) => row.received_at < receivedBefore);
		await withConnection(pool, (client) => deleteOrphanedLogs(client, old, receivedBefore));
	}
}
