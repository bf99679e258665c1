import type { DatabaseSync } from "node:sqlite";

const COLUMNS = `id, project_id, trace_id, session_row_id, session_span, start_micros, start_nanos, end_micros, end_nanos,
	span_count, error_count, tokens_prompt, tokens_completion, tokens_total, cost_micro, cost_pico, costed_spans, root_span,
	root_span_id, root_name, root_kind, root_status, root_model, user_span, user_id, input_span, output_span`;

/**
 * Drops the texts that lists show from the rows of traces: they are read from the content of `input_span` and
 * `output_span`. The table is created anew, as dropping columns takes three times as long and leaves its pages nearly
 * empty.
 */
export function dropTraceTexts(db: DatabaseSync): void {
	db.exec(`
		create table new_traces (
			id integer primary key,
			project_id integer not null,
			trace_id blob not null,
			session_row_id integer,
			session_span integer,
			start_micros integer not null,
			start_nanos integer not null,
			end_micros integer not null,
			end_nanos integer not null,
			span_count integer not null,
			error_count integer not null,
			tokens_prompt real not null,
			tokens_completion real not null,
			tokens_total real not null,
			cost_micro real not null,
			cost_pico real not null,
			costed_spans integer not null,
			root_span integer not null,
			root_span_id blob not null,
			root_name text not null,
			root_kind integer not null,
			root_status integer not null,
			root_model text,
			user_span integer,
			user_id text,
			input_span integer,
			output_span integer
		) strict;
		insert into new_traces (${COLUMNS}) select ${COLUMNS} from traces order by id;
		drop table traces;
		alter table new_traces rename to traces;
		create unique index traces_by_trace_id on traces (trace_id, project_id);
		create index traces_by_start on traces (project_id, start_micros, (end_micros - start_micros));
		create index traces_by_session on traces (session_row_id, start_micros) where session_row_id is not null;
	`);
}
