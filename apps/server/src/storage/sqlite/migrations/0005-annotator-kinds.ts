import type { DatabaseSync } from "node:sqlite";

/**
 * Adds the annotator kinds AGENT and DECISION to annotations and evaluations. SQLite cannot change a check constraint,
 * so the tables are created anew; they continue their row numbers, which are never reused.
 */
export function addAnnotatorKinds(db: DatabaseSync): void {
	db.exec(`
		create table new_annotations (
			id integer primary key autoincrement,
			target text not null check (target in ('span', 'trace', 'session', 'document')),
			target_row_id integer not null,
			document_position integer not null default -1,
			project_id integer not null,
			span_row_id integer references spans (id) on delete cascade,
			trace_row_id integer references traces (id) on delete cascade,
			session_row_id integer references sessions (id) on delete cascade,
			name text not null,
			identifier text not null,
			annotator_kind text not null check (annotator_kind in ('LLM', 'CODE', 'HUMAN', 'AGENT', 'DECISION')),
			label text,
			score real,
			explanation text,
			metadata text not null,
			source text not null check (source in ('API', 'APP')),
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		insert into new_annotations select * from annotations;
		create table new_experiment_evaluations (
			id integer primary key autoincrement,
			run_id integer not null references experiment_runs (id) on delete cascade,
			experiment_id integer not null,
			example_id integer not null,
			name text not null,
			annotator_kind text not null check (annotator_kind in ('LLM', 'CODE', 'HUMAN', 'AGENT', 'DECISION')),
			label text,
			score real,
			explanation text,
			error text,
			metadata text not null,
			trace_id text,
			start_micros integer not null,
			end_micros integer not null,
			unique (run_id, name)
		) strict;
		insert into new_experiment_evaluations select * from experiment_evaluations;

		delete from sqlite_sequence where name in ('new_annotations', 'new_experiment_evaluations');
		insert into sqlite_sequence (name, seq)
			select 'new_' || name, seq from sqlite_sequence where name in ('annotations', 'experiment_evaluations');
		drop table annotations;
		drop table experiment_evaluations;
		alter table new_annotations rename to annotations;
		alter table new_experiment_evaluations rename to experiment_evaluations;

		create unique index annotations_by_target on annotations (target, target_row_id, document_position, name, identifier);
		create index annotations_by_span on annotations (span_row_id) where span_row_id is not null;
		create index annotations_by_trace on annotations (trace_row_id) where trace_row_id is not null;
		create index annotations_by_session on annotations (session_row_id) where session_row_id is not null;
		create index annotations_by_name on annotations (project_id, target, name);
		create index annotations_by_identifier on annotations (project_id, target, identifier);
		create index experiment_evaluations_by_name on experiment_evaluations (experiment_id, name, example_id, score);
	`);
}
