import type { DatabaseSync } from "node:sqlite";

/**
 * Who may see and do what in which project (`access/rights/`), teams, and keys that can do less than their owners.
 *
 * `access_policy` has one row, or none before anything was set. Its `version` grows with everything that decides rights, so that other processes notice:
 * the policy itself, access of projects and of the library, grants, rules, teams and their members, homes of datasets.
 * Null in it means the default.
 *
 * A grant is for a user or for a team, in a project, or in the library where `project_id` is null. Members of a team are
 * there by sources, each of which adds and removes only its own rows.
 *
 * A key with `permissions` or `has_homes` is limited. `api_key_projects` lists its projects while `has_homes` is 1; a
 * deleted project leaves the list, and an empty list admits nothing. `api_key_days` counts spans by day, UTC, of keys
 * with such a limit. `replaces` is the key in whose place a rotation put this one.
 *
 * `idempotency_keys.entered` has the homes that the first request was about, with the roles that it needed there: JSON.
 *
 * `datasets.project_id` and `prompts.project_id` are where they live; null is the library.
 */
export function createRights(db: DatabaseSync): void {
	db.exec(`
		alter table projects add column access text not null default 'open' check (access in ('open', 'restricted'));
		create index projects_restricted on projects (id) where access = 'restricted';
		alter table datasets add column project_id integer references projects (id);
		create index datasets_by_project on datasets (project_id) where project_id is not null;
		alter table prompts add column project_id integer references projects (id);
		create index prompts_by_project on prompts (project_id) where project_id is not null;
		alter table waiting_annotations add column api_key_id integer;
		alter table idempotency_keys add column entered text;

		create table access_policy (
			id integer primary key check (id = 1),
			version integer not null,
			library_access text not null check (library_access in ('open', 'restricted')),
			default_project_access text check (default_project_access in ('open', 'restricted')),
			open_role_of_members text check (open_role_of_members in ('viewer', 'annotator', 'editor')),
			members_create_projects integer check (members_create_projects in (0, 1)),
			max_key_days integer
		) strict;

		create table teams (
			id integer primary key autoincrement,
			name text not null,
			name_key text not null unique,
			description text,
			source text not null check (source in ('manual', 'scim')),
			external_groups text not null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create table team_members (
			team_id integer not null references teams (id) on delete cascade,
			user_id integer not null references users (id) on delete cascade,
			source text not null,
			created_at integer not null,
			primary key (team_id, user_id, source)
		) strict, without rowid;
		create index team_members_by_user on team_members (user_id);

		create table grants (
			id integer primary key autoincrement,
			project_id integer references projects (id) on delete cascade,
			user_id integer references users (id) on delete cascade,
			team_id integer references teams (id) on delete cascade,
			role text not null check (role in ('viewer', 'annotator', 'editor', 'manager')),
			created_at integer not null,
			created_by integer references users (id) on delete set null,
			check ((user_id is null) <> (team_id is null))
		) strict;
		create unique index grants_of_users on grants (coalesce(project_id, 0), user_id) where user_id is not null;
		create unique index grants_of_teams on grants (coalesce(project_id, 0), team_id) where team_id is not null;
		create index grants_by_user on grants (user_id) where user_id is not null;
		create index grants_by_team on grants (team_id) where team_id is not null;
		create index grants_by_project on grants (project_id) where project_id is not null;
		create index grants_by_creator on grants (created_by) where created_by is not null;

		create table access_rules (
			id integer primary key autoincrement,
			pattern text not null,
			access_of_new text check (access_of_new in ('open', 'restricted')),
			description text,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create table access_rule_grants (
			id integer primary key autoincrement,
			rule_id integer not null references access_rules (id) on delete cascade,
			user_id integer references users (id) on delete cascade,
			team_id integer references teams (id) on delete cascade,
			role text not null check (role in ('viewer', 'annotator', 'editor', 'manager')),
			check ((user_id is null) <> (team_id is null))
		) strict;
		create unique index access_rule_grants_of_users on access_rule_grants (rule_id, user_id) where user_id is not null;
		create unique index access_rule_grants_of_teams on access_rule_grants (rule_id, team_id) where team_id is not null;
		create index access_rule_grants_by_user on access_rule_grants (user_id) where user_id is not null;
		create index access_rule_grants_by_team on access_rule_grants (team_id) where team_id is not null;

		alter table api_keys add column permissions text;
		alter table api_keys add column has_homes integer not null default 0 check (has_homes in (0, 1));
		alter table api_keys add column include_library integer not null default 0 check (include_library in (0, 1));
		alter table api_keys add column ip_ranges text;
		alter table api_keys add column allowed_origins text;
		alter table api_keys add column requests_per_minute integer;
		alter table api_keys add column spans_per_day integer;
		alter table api_keys add column replaces integer references api_keys (id) on delete set null;
		alter table api_keys add column last_used_ip text;
		alter table api_keys add column last_refused_at integer;
		alter table api_keys add column last_refused_code text;
		alter table api_keys add column expiry_mailed_at integer;
		create unique index api_keys_by_replaced on api_keys (replaces) where replaces is not null;
		create table api_key_projects (
			key_id integer not null references api_keys (id) on delete cascade,
			project_id integer not null references projects (id) on delete cascade,
			primary key (key_id, project_id)
		) strict, without rowid;
		create index api_key_projects_by_project on api_key_projects (project_id);
		create table api_key_days (
			key_id integer not null references api_keys (id) on delete cascade,
			day integer not null,
			spans integer not null,
			primary key (key_id, day)
		) strict, without rowid;
	`);
}
