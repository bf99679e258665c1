import type { ClientBase } from "pg";

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
