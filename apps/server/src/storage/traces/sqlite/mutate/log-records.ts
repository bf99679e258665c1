import type { DatabaseSync } from "node:sqlite";

/** Deletes the log records of a trace id that no project has any more. */
export function deleteOrphanedLogs(db: DatabaseSync, traceId: Uint8Array): void {
	db.prepare(
		"delete from log_records where trace_id = ? and not exists (select 1 from traces where trace_id = log_records.trace_id)",
	).run(traceId);
}

/** As {@link deleteOrphanedLogs}, for one span of a trace that stays. */
export function deleteLogsOfSpan(db: DatabaseSync, traceId: Uint8Array, spanId: Uint8Array): void {
	db.prepare(
		`delete from log_records where trace_id = ? and span_id = ? and not exists (
			select 1 from traces join spans on spans.trace_row_id = traces.id
			where traces.trace_id = log_records.trace_id and spans.span_id = log_records.span_id)`,
	).run(traceId, spanId);
}
