import type { ClientBase, Pool } from "pg";
import { LOG_WAIT_MICROS } from "../../content/log-record.ts";

/** Log records stay while a trace of their id is stored anywhere. */
export async function deleteOrphanedLogs(client: ClientBase, traceIds: readonly Uint8Array[]): Promise<void> {
	await client.query(
		`delete from log_records where trace_id = any($1::bytea[])
			and not exists (select from traces where traces.trace_id = log_records.trace_id)`,
		[traceIds],
	);
}

/** As {@link deleteOrphanedLogs}, for one span of a trace that stays. */
export async function deleteLogsOfSpan(client: ClientBase, traceId: Uint8Array, spanId: Uint8Array): Promise<void> {
	await client.query(
		`delete from log_records where trace_id = $1 and span_id = $2
			and not exists (select from spans where spans.span_id = $2 and spans.trace_id = $1)`,
		[traceId, spanId],
	);
}

/** Records that one statement looks at. */
const STEP_RECORDS = 1_000;

/** Deletes log records that wait in vain for their span, going through all of them a step at a time. */
export async function deleteForsakenLogs(pool: Pool, nowMicros: number, stopped: AbortSignal): Promise<void> {
	for (let after = 0; !stopped.aborted; ) {
		const { rows } = await pool.query<{ last: number | null }>(
			`select max(id) as last from (select id from log_records where id > $1 order by id limit ${STEP_RECORDS}) as step`,
			[after],
		);
		const last = rows[0]?.last ?? null;
		if (last === null) return;
		await pool.query(
			`delete from log_records where id > $1 and id <= $2 and received_at < $3
				and not exists (select from traces where traces.trace_id = log_records.trace_id)`,
			[after, last, nowMicros - LOG_WAIT_MICROS],
		);
		after = last;
	}
}
