import type { DatabaseSync } from "node:sqlite";

/**
 * Saved views of lists, and which of them a project's lists open with (`resources/views/`). `project_id` is null for views
 * of every project; `private_to` is null for shared ones. A private view goes with its account, a shared one stays and
 * has no owner any more.
 */
export function createSavedViews(db: DatabaseSync): void {
	db.exec(`
		create table saved_views (
			id integer primary key autoincrement,
			name text not null,
			page text not null check (page in ('traces', 'spans', 'sessions', 'users', 'errors')),
			project_id integer references projects (id) on delete cascade,
			state text not null,
			owner_id integer references users (id) on delete set null,
			private_to integer references users (id) on delete cascade,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index saved_views_by_project on saved_views (project_id, page);
		create index saved_views_by_owner on saved_views (owner_id);
		create index saved_views_by_private_to on saved_views (private_to) where private_to is not null;
		create table default_views (
			project_id integer not null references projects (id) on delete cascade,
			page text not null,
			view_id integer not null references saved_views (id) on delete cascade,
			primary key (project_id, page)
		) strict;
		create index default_views_by_view on default_views (view_id);
	`);
}
