import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { hashInProject, hashOfLog } from "#storage/traces/content/log-record.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";

/** Whether the project of a log record has its trace. One whose spans are being deleted is of no project. */
export const HAS_TRACE = `exists (select 1 from traces
	where traces.trace_id = log_records.trace_id and traces.project_id = log_records.project_id)`;

type TraceKey = Pick<TraceRow, "project_id" | "trace_id">;

/** Deletes the log records of a trace, unless its project has one of its id again. */
export function deleteOrphanedLogs(db: DatabaseSync, { project_id, trace_id }: TraceKey): void {
	db.prepare(`delete from log_records where trace_id = ? and project_id = ? and not ${HAS_TRACE}`).run(
		trace_id,
		Math.abs(project_id),
	);
}

/** As {@link deleteOrphanedLogs}, for one span of a trace that stays. */
export function deleteLogsOfSpan(db: DatabaseSync, { project_id, trace_id }: TraceKey, spanId: Uint8Array): void {
	db.prepare(
		`delete from log_records where trace_id = ? and span_id = ? and project_id = ? and not exists (
			select 1 from traces join spans on spans.trace_row_id = traces.id
			where traces.trace_id = log_records.trace_id and traces.project_id = log_records.project_id
				and spans.span_id = log_records.span_id)`,
	).run(trace_id, spanId, project_id);
}

/** Gives the log records that a project has of a trace id to another one; it has each once. */
export function moveLogs(
	db: DatabaseSync,
	traceId: Uint8Array,
	{ from, to }: { readonly from: number; readonly to: number },
): void {
	const move = db.prepare("update or ignore log_records set project_id = ?, hash = ? where id = ?");
	const logs = db.prepare("select id, data from log_records where trace_id = ? and project_id = ?");
	for (const { id, data } of listRows<{ id: number; data: Uint8Array }>(logs, traceId, from))
		move.run(to, hashInProject(to, hashOfLog(decompress(data))), id);
	db.prepare("delete from log_records where trace_id = ? and project_id = ?").run(traceId, from);
}
