import type { DatabaseSync } from "node:sqlite";

/**
 * Bulk runs that fill review queues, and standing rules that go on filling them (`resources/review-queues/`). SQLite cannot
 * change a check constraint, so `bulk_runs` is created anew; it continues its row numbers, which are never reused.
 *
 * A rule is about what has arrived in its project: of the kind of its queue, with row numbers above `decided_row`. `seen_row`
 * is the highest one at `seen_at`; both are null while there is nothing to start from. `day` counts days since 1970, and
 * `day_items` what was added on it. `user_id`, and `acts_as` in JSON, say with whose rights. Times are microseconds since 1970.
 */
export function fillReviewQueues(db: DatabaseSync): void {
	db.exec(`
		create table new_bulk_runs (
			id integer primary key autoincrement,
			project_id integer not null references projects (id) on delete cascade,
			action text not null
				check (action in ('delete', 'move', 'annotate', 'add_to_dataset', 'add_to_review_queue')),
			kind text not null check (kind in ('span', 'trace', 'session')),
			selection text not null,
			parameters text not null,
			state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
			revision integer not null,
			position text,
			step text,
			counted_items integer not null,
			total_items integer,
			done_items integer not null,
			failed_items integer not null,
			failures text not null,
			error text,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		insert into new_bulk_runs select * from bulk_runs;
		delete from sqlite_sequence where name = 'new_bulk_runs';
		insert into sqlite_sequence (name, seq) select 'new_bulk_runs', seq from sqlite_sequence where name = 'bulk_runs';
		drop table bulk_runs;
		alter table new_bulk_runs rename to bulk_runs;
		create index bulk_runs_by_project on bulk_runs (project_id);
		create index bulk_runs_by_user on bulk_runs (user_id) where user_id is not null;
		create index bulk_runs_unfinished on bulk_runs (id) where state in ('waiting', 'running');

		create index review_items_by_session on review_items (target_row_id) where trace_row_id is null;
		create index review_items_by_time on review_items (queue_id, created_at);
		create index review_turns_by_start on review_turns (queue_id, reviewer, started_at);
		create index review_turns_reserved on review_turns (queue_id, item_id) where status = 'reserved';
		create index review_turns_skipped on review_turns (queue_id, finished_at) where status = 'skipped';

		create table review_rules (
			queue_id integer primary key references review_queues (id) on delete cascade,
			project_id integer not null references projects (id) on delete cascade,
			filter text not null,
			sample real not null check (sample between 0 and 1),
			daily_limit integer,
			enabled integer not null check (enabled in (0, 1)),
			error text,
			user_id integer references users (id) on delete set null,
			acts_as text not null,
			decided_row integer,
			seen_row integer,
			seen_at integer,
			day integer not null,
			day_items integer not null,
			total_items integer not null,
			revision integer not null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index review_rules_by_project on review_rules (project_id);
		create index review_rules_by_user on review_rules (user_id) where user_id is not null;
	`);
}
