import type { DatabaseSync } from "node:sqlite";

/**
 * Review queues of runs of experiments, and what became of their answers: beside the evaluations of the runs, not among them.
 * SQLite cannot change a check constraint, so two tables are created anew; they continue their row numbers, which are never
 * reused.
 *
 * Items about runs have the project of the dataset, null for the library, and no trace. `identifier` names the queue and, but
 * for the decision of an adjudicator, the reviewer. Times are microseconds since 1970.
 */
export function reviewRuns(db: DatabaseSync): void {
	db.exec(`
		create table new_review_queues (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			guidance text,
			target text not null check (target in ('span', 'trace', 'session', 'experiment_run')),
			questions text not null,
			reviews_required integer not null check (reviews_required between 1 and 9),
			reviewers text,
			adjudicators text not null,
			blind integer not null check (blind in (0, 1)),
			item_order text not null check (item_order in ('oldest', 'newest', 'random', 'priority')),
			seed integer not null,
			lease_minutes integer not null,
			due_at integer,
			archived_at integer,
			created_by integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null,
			hide_model_annotations integer not null default 0 check (hide_model_annotations in (0, 1))
		) strict;
		insert into new_review_queues select * from review_queues;

		create table new_review_items (
			id integer primary key autoincrement,
			queue_id integer not null references review_queues (id) on delete cascade,
			project_id integer references projects (id) on delete cascade,
			target_row_id integer not null,
			trace_row_id integer,
			target_id text not null,
			priority integer not null,
			random_rank integer not null,
			state text not null default 'open' check (state in ('open', 'disagreement', 'done', 'removed')),
			decision text,
			decided_by integer,
			decided_at integer,
			is_published integer not null default 0 check (is_published in (0, 1)),
			created_at integer not null,
			updated_at integer not null,
			unique (queue_id, target_row_id)
		) strict;
		insert into new_review_items select * from review_items;

		delete from sqlite_sequence where name in ('new_review_queues', 'new_review_items');
		insert into sqlite_sequence (name, seq)
			select 'new_' || name, seq from sqlite_sequence where name in ('review_queues', 'review_items');
		drop table review_items;
		drop table review_queues;
		alter table new_review_queues rename to review_queues;
		alter table new_review_items rename to review_items;
		create index review_queues_by_creator on review_queues (created_by) where created_by is not null;
		create index review_items_by_id on review_items (queue_id, state, id);
		create index review_items_by_rank on review_items (queue_id, state, random_rank, id);
		create index review_items_by_priority on review_items (queue_id, state, priority desc, id);
		create index review_items_by_project on review_items (project_id);
		create index review_items_by_trace on review_items (trace_row_id) where trace_row_id is not null;
		create index review_items_by_session on review_items (target_row_id) where trace_row_id is null;
		create index review_items_by_time on review_items (queue_id, created_at);

		create table experiment_run_reviews (
			id integer primary key autoincrement,
			run_id integer not null references experiment_runs (id) on delete cascade,
			identifier text not null,
			name text not null,
			label text,
			score real,
			explanation text,
			source text not null check (source in ('API', 'APP')),
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null,
			unique (run_id, identifier, name)
		) strict;
		create index experiment_run_reviews_by_user on experiment_run_reviews (user_id) where user_id is not null;
	`);
}
