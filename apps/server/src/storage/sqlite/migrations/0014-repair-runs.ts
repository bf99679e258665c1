import type { DatabaseSync } from "node:sqlite";

/** Repairs of traces, which the background carries out (`resources/repairs/`). */
export function createRepairRuns(db: DatabaseSync): void {
	db.exec(`
		create table repair_runs (
			id integer primary key autoincrement,
			kind text not null check (kind in ('totals', 'orphans', 'moves', 'all')),
			project_id integer,
			start_micros integer,
			end_micros integer,
			dry_run integer not null check (dry_run in (0, 1)),
			status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
			revision integer not null,
			position text,
			looked_at integer not null,
			found integer not null,
			repaired integer not null,
			error text,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			finished_at integer
		) strict;
		create index repair_runs_by_user on repair_runs (user_id) where user_id is not null;
		create index repair_runs_unfinished on repair_runs (id) where status in ('queued', 'running');
	`);
}
