import type { DatabaseSync } from "node:sqlite";

/**
 * Dashboards of a project, or across projects where `project_id` is null. `definition` is JSON: the range, filter, controls
 * and widgets. `widget_count` is kept beside it, so that lists need not read it. A private one is its owner's alone, and is
 * deleted with the account; a shared one stays without owner.
 */
export function createDashboards(db: DatabaseSync): void {
	db.exec(`
		create table dashboards (
			id integer primary key autoincrement,
			project_id integer references projects (id) on delete cascade,
			name text not null,
			description text,
			visibility text not null check (visibility in ('shared', 'private')),
			definition text not null,
			widget_count integer not null,
			owner_id integer references users (id) on delete set null,
			updated_by integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index dashboards_by_project on dashboards (project_id) where project_id is not null;
		create index dashboards_by_owner on dashboards (owner_id) where owner_id is not null;
		create index dashboards_by_updater on dashboards (updated_by) where updated_by is not null;
	`);
}
