import type { DatabaseSync } from "node:sqlite";

/** Actions on many spans, traces or sessions, which the background carries out (`resources/bulk-runs/`). */
export function createBulkRuns(db: DatabaseSync): void {
	db.exec(`
		create table bulk_runs (
			id integer primary key autoincrement,
			project_id integer not null references projects (id) on delete cascade,
			action text not null check (action in ('delete', 'move', 'annotate', 'add_to_dataset')),
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
		create index bulk_runs_by_project on bulk_runs (project_id);
		create index bulk_runs_by_user on bulk_runs (user_id) where user_id is not null;
		create index bulk_runs_unfinished on bulk_runs (id) where state in ('waiting', 'running');
	`);
}
