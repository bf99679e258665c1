import type { DatabaseSync } from "node:sqlite";

/**
 * Log-in for programs (`access/authorization-server/`).
 *
 * `oauth2_clients.public_id` is the `client_id` of the protocol, an address for clients of the kind `metadata`.
 *
 * A grant is what a user let a client do. `permissions` and homes mean what they mean for keys, `admin` may be among the
 * permissions; `scope_stated` is whether token answers say the scope. The text of a refresh token has a part that all
 * refresh tokens of the grant share, of which `refresh_family_hash` is, and one of its own: `refresh_hash` is of the whole.
 *
 * Codes and device codes hold what the grant will be until the client asks for its tokens. A used code stays until it
 * expires, with its grant, to be noticed when it comes again. All hashes are SHA-256.
 *
 * `waiting_annotations.oauth2_grant_id` is as `api_key_id`, of a program.
 */
export function createAuthorizationServer(db: DatabaseSync): void {
	db.exec(`
		alter table waiting_annotations add column oauth2_grant_id integer;

		create table oauth2_clients (
			id integer primary key autoincrement,
			public_id text not null unique,
			kind text not null check (kind in ('seeded', 'registered', 'admin', 'metadata')),
			name text not null,
			redirect_uris text not null,
			device_flow integer not null check (device_flow in (0, 1)),
			disabled integer not null check (disabled in (0, 1)),
			created_at integer not null,
			created_by integer references users (id) on delete set null,
			last_used_at integer
		) strict;
		create index oauth2_clients_by_creator on oauth2_clients (created_by) where created_by is not null;

		create table oauth2_grants (
			id integer primary key autoincrement,
			user_id integer not null references users (id) on delete cascade,
			client_id integer not null references oauth2_clients (id) on delete cascade,
			permissions text,
			has_homes integer not null check (has_homes in (0, 1)),
			include_library integer not null check (include_library in (0, 1)),
			scope_stated integer not null check (scope_stated in (0, 1)),
			resource text not null check (resource in ('api', 'mcp')),
			refresh_family_hash blob not null unique,
			refresh_hash blob not null,
			refreshed_at integer not null,
			created_at integer not null,
			expires_at integer not null,
			last_used_at integer,
			last_used_ip text
		) strict;
		create index oauth2_grants_by_user on oauth2_grants (user_id);
		create index oauth2_grants_by_client on oauth2_grants (client_id);
		create index oauth2_grants_by_end on oauth2_grants (expires_at);
		create table oauth2_grant_projects (
			grant_id integer not null references oauth2_grants (id) on delete cascade,
			project_id integer not null references projects (id) on delete cascade,
			primary key (grant_id, project_id)
		) strict, without rowid;
		create index oauth2_grant_projects_by_project on oauth2_grant_projects (project_id);
		create table oauth2_access_tokens (
			id integer primary key autoincrement,
			hash blob not null unique,
			grant_id integer not null references oauth2_grants (id) on delete cascade,
			expires_at integer not null
		) strict;
		create index oauth2_access_tokens_by_grant on oauth2_access_tokens (grant_id);
		create index oauth2_access_tokens_by_end on oauth2_access_tokens (expires_at);

		create table oauth2_codes (
			id integer primary key autoincrement,
			hash blob not null unique,
			client_id integer not null references oauth2_clients (id) on delete cascade,
			user_id integer not null references users (id) on delete cascade,
			redirect_uri text not null,
			code_challenge text not null,
			approved text not null,
			created_at integer not null,
			expires_at integer not null,
			used_at integer,
			grant_id integer references oauth2_grants (id) on delete cascade
		) strict;
		create index oauth2_codes_by_client on oauth2_codes (client_id);
		create index oauth2_codes_by_user on oauth2_codes (user_id);
		create index oauth2_codes_by_end on oauth2_codes (expires_at);
		create index oauth2_codes_by_grant on oauth2_codes (grant_id) where grant_id is not null;

		create table oauth2_device_codes (
			id integer primary key autoincrement,
			hash blob not null unique,
			user_code_hash blob not null unique,
			client_id integer not null references oauth2_clients (id) on delete cascade,
			user_id integer references users (id) on delete cascade,
			state text not null check (state in ('pending', 'approved', 'denied')),
			scope text,
			resource text not null check (resource in ('api', 'mcp')),
			approved text,
			interval_seconds integer not null,
			polled_at integer,
			ip text not null,
			user_agent text not null,
			created_at integer not null,
			expires_at integer not null
		) strict;
		create index oauth2_device_codes_by_client on oauth2_device_codes (client_id);
		create index oauth2_device_codes_by_user on oauth2_device_codes (user_id) where user_id is not null;
		create index oauth2_device_codes_by_end on oauth2_device_codes (expires_at);
	`);
}
