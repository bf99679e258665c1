import type { DatabaseSync } from "node:sqlite";

/**
 * Projects, sessions, traces, spans, their content in compressed blocks, log records, totals by hour, and what is
 * filled after the commit (`span_lookup`, `block_text`).
 *
 * Times are microseconds since 1970, with the remaining nanoseconds in a column of their own. Costs in totals are
 * picodollars (1e-12 US dollars), so that the order of additions and subtractions does not matter. Sums are `real`,
 * because an `integer` beyond 2^53 cannot be read; whole numbers take no more space. Row numbers of spans, traces and
 * blocks come from `row_numbers`, which only grows. A trace with a negative project is being deleted.
 *
 * `span_lookup` finds a span by its id alone. Inserting random keys one by one would write a page for each. Instead the
 * table consists of sorted runs, each appended as a whole, and a look-up searches all of them.
 *
 * `block_text` tells which blocks may contain a text, by its trigrams in lower case. It covers blocks up to
 * `block_text_progress`, except for those in `block_text_skipped`, whose text takes too long to index without blocking
 * the writers. Blocks whose spans received log records later are in `block_text_stale`.
 */
export function createSpans(db: DatabaseSync): void {
	db.exec(`
		create table projects (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			created_at integer not null,
			updated_at integer not null
		) strict;

		create table row_numbers (name text primary key, next integer not null) strict, without rowid;
		insert into row_numbers (name, next) values ('traces', 1), ('spans', 1), ('blocks', 1);

		create table sessions (
			id integer primary key autoincrement,
			project_id integer not null,
			session_id text not null,
			start_micros integer not null,
			start_nanos integer not null,
			end_micros integer not null,
			end_nanos integer not null,
			trace_count integer not null,
			span_count integer not null,
			error_count integer not null,
			tokens_prompt real not null,
			tokens_completion real not null,
			tokens_total real not null,
			cost_pico real not null,
			costed_spans integer not null,
			unique (project_id, session_id)
		) strict;
		create index sessions_by_project on sessions (project_id);
		create index sessions_by_start on sessions (project_id, start_micros);

		create table traces (
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
			output_span integer,
			first_input text,
			last_output text
		) strict;
		create unique index traces_by_trace_id on traces (trace_id, project_id);
		create index traces_by_start on traces (project_id, start_micros, (end_micros - start_micros));
		create index traces_by_session on traces (session_row_id, start_micros) where session_row_id is not null;

		create table spans (
			id integer primary key,
			project_id integer not null,
			trace_row_id integer not null,
			span_id blob not null,
			parent_span_id blob,
			start_micros integer not null,
			start_nanos integer not null,
			end_micros integer not null,
			end_nanos integer not null,
			kind integer not null,
			otel_kind integer not null,
			status_code integer not null,
			flags integer not null,
			block_id integer not null,
			ordinal integer not null,
			name text not null,
			model text,
			provider text,
			tokens_prompt integer,
			tokens_completion integer,
			tokens_total integer,
			tokens_cache_read integer,
			tokens_cache_write integer,
			tokens_reasoning integer,
			cost_source integer,
			cost_total real,
			cost_prompt real,
			cost_completion real,
			cost_cache_read real,
			cost_cache_write real,
			cost_reasoning real,
			session_id text,
			user_id text,
			status_message text
		) strict;
		create unique index spans_by_identity on spans (trace_row_id, span_id, start_micros, start_nanos);
		create index spans_by_parent on spans (trace_row_id, parent_span_id) where parent_span_id is not null;
		create index spans_by_project on spans (project_id);
		create index spans_by_start on spans (project_id, start_micros);

		create table blocks (
			id integer primary key,
			first_span integer not null,
			last_span integer not null,
			data blob not null
		) strict;

		create table log_records (
			id integer primary key autoincrement,
			trace_id blob not null,
			span_id blob not null,
			hash blob not null,
			time_micros integer not null,
			time_nanos integer not null,
			received_at integer not null,
			data blob not null,
			unique (trace_id, span_id, hash)
		) strict;

		create table hours (
			project_id integer not null,
			hour integer not null,
			kind integer not null,
			model text not null,
			trace_count integer not null,
			span_count integer not null,
			error_count integer not null,
			tokens_prompt real not null,
			tokens_completion real not null,
			tokens_total real not null,
			cost_pico real not null,
			latency blob not null,
			primary key (project_id, hour, kind, model)
		) strict, without rowid;

		create table span_lookup (
			run integer not null,
			span_id blob not null,
			span integer not null,
			primary key (run, span_id, span)
		) strict, without rowid;
		create table span_lookup_runs (
			run integer primary key autoincrement,
			first_span integer not null,
			last_span integer not null
		) strict;

		create virtual table block_text using fts5 (
			text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
		);
		create table block_text_progress (
			id integer primary key check (id = 1),
			last_block integer not null
		) strict;
		insert into block_text_progress (id, last_block) values (1, 0);
		create table block_text_stale (block_id integer primary key) strict;
		create table block_text_skipped (block_id integer primary key) strict;
	`);
}
