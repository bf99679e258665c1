import type { ClientBase, Pool } from "pg";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { LOG_WAIT_MICROS } from "#storage/traces/content/log-record.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import { lockLogs } from "../write/log-rows.ts";
import { inTransaction } from "../write/lost-race.ts";

const WITHOUT_TRACE = "not exists (select from traces where traces.trace_id = log_records.trace_id)";

/**
 * Deletes log records of trace ids that no project has any more. Runs as a transaction of its own after the commit that
 * deleted the traces, as it waits for writers of the same ids, which would make others wait for the deletion. If it
 * fails, {@link deleteUnclaimedLogs} deletes them later.
 */
export async function deleteOrphanedLogs(
	client: ClientBase,
	traceIds: readonly Uint8Array[],
	receivedBeforeMicros = Number.MAX_SAFE_INTEGER,
): Promise<void> {
	if (traceIds.length === 0) return;
	const { rows } = await client.query<{ trace_id: Buffer }>(
		`select distinct trace_id from log_records
		where trace_id = any($1::bytea[]) and received_at < $2 and ${WITHOUT_TRACE}`,
		[traceIds, receivedBeforeMicros],
	);
	if (rows.length === 0) return;
	const orphaned = rows.map((row) => row.trace_id);
	await inTransaction(client, async () => {
		await lockLogs(client, [], orphaned.map(toHex));
		await client.query(
			`delete from log_records where trace_id = any($1::bytea[]) and received_at < $2 and ${WITHOUT_TRACE}`,
			[orphaned, receivedBeforeMicros],
		);
	});
}

/**
 * As {@link deleteOrphanedLogs}, for spans of traces that stay. The caller has locked the log records of these traces.
 */
export async function deleteLogsOfSpans(
	client: ClientBase,
	spans: readonly { readonly trace_id: Uint8Array; readonly span_id: Uint8Array }[],
): Promise<void> {
	await client.query(
		`delete from log_records using unnest($1::bytea[], $2::bytea[]) as gone (trace_id, span_id)
		where log_records.trace_id = gone.trace_id and log_records.span_id = gone.span_id
			and not exists (
				select from traces join spans on spans.trace_row_id = traces.id
				where traces.trace_id = gone.trace_id and spans.span_id = gone.span_id)`,
		[spans.map(({ trace_id }) => trace_id), spans.map(({ span_id }) => span_id)],
	);
}

/** Records per statement. */
const STEP_RECORDS = 1_000;

/** Deletes old log records whose span never came, going through all records in steps. */
export async function deleteUnclaimedLogs(pool: Pool, nowMicros: number, stopped: AbortSignal): Promise<void> {
	const receivedBefore = nowMicros - LOG_WAIT_MICROS;
	for (let after = 0; !stopped.aborted; ) {
		const { rows } = await pool.query<{ last: number | null; trace_ids: Buffer[] | null }>(
			`select max(id) as last, array_agg(distinct trace_id) filter (where received_at < $2) as trace_ids
			from (select id, trace_id, received_at from log_records where id > $1 order by id limit ${STEP_RECORDS}) as step`,
			[after, receivedBefore],
		);
		const [step] = rows;
		if (step === undefined || step.last === null) return;
		after = step.last;
		const { trace_ids: traceIds } = step;
		if (traceIds === null) continue;
		await withConnection(pool, (client) => deleteOrphanedLogs(client, traceIds, receivedBefore));
	}
}
