import type { ClientBase } from "pg";

/** As SQLite's migration of this number; `hash` becomes that of `hashInProject`. */
export async function addProjectsOfLogs(client: ClientBase): Promise<void> {
	await client.query(`
		alter table log_records add column project_id bigint not null default 0;
		create index log_records_of_no_project on log_records (trace_id) where project_id = 0;
		create temporary table joined_logs on commit drop as
			select log_records.id, abs(traces.project_id) as project_id,
				substring(sha256(log_records.hash || convert_to(abs(traces.project_id)::text, 'UTF8')) for 16) as hash,
				row_number() over (partition by log_records.id order by traces.project_id desc) as number
			from log_records join traces on traces.trace_id = log_records.trace_id;
		insert into log_records (project_id, trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
			select joined_logs.project_id, trace_id, span_id, joined_logs.hash, time_micros, time_nanos, received_at, data
			from joined_logs join log_records on log_records.id = joined_logs.id
			where number > 1
			on conflict do nothing;
		update log_records set project_id = joined_logs.project_id, hash = joined_logs.hash
			from joined_logs where log_records.id = joined_logs.id and number = 1;
	`);
}
