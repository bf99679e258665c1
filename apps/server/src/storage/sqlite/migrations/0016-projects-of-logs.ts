import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { hashInProject } from "#storage/traces/content/log-record.ts";

/**
 * Log records get the project that has their trace, each of several a copy. Those whose trace has not come yet have
 * `NO_PROJECT`.
 */
export function addProjectsOfLogs(db: DatabaseSync): void {
	db.exec(`
		alter table log_records add column project_id integer not null default 0;
		create index log_records_of_no_project on log_records (trace_id) where project_id = 0;
	`);
	const joined = listRows<{ id: number; hash: Uint8Array; project_id: number; is_first: 0 | 1 }>(
		db.prepare(
			`select log_records.id, log_records.hash, abs(traces.project_id) as project_id,
				row_number() over (partition by log_records.id order by traces.project_id desc) = 1 as is_first
			from log_records join traces on traces.trace_id = log_records.trace_id
			order by is_first`,
		),
	);
	const copy = db.prepare(
		`insert or ignore into log_records (project_id, trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
		select ?, trace_id, span_id, ?, time_micros, time_nanos, received_at, data from log_records where id = ?`,
	);
	const own = db.prepare("update log_records set project_id = ?, hash = ? where id = ?");
	for (const { id, hash, project_id, is_first } of joined)
		(is_first === 1 ? own : copy).run(project_id, hashInProject(project_id, hash), id);
}
