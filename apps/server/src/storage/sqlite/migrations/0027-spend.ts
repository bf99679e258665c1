import type { DatabaseSync } from "node:sqlite";

/**
 * What was spent, by project, user, API key and quarter of an hour (counted since 1970) of the span's start: what stored
 * spans give, and what those gave that are gone. Without a user `user_hash` is empty, without a key `api_key_id` is 0.
 * While the row `spend_backfill` of `state` is there, what was stored before is still to be counted; `spend_kept_from` says
 * which quarter is the first that is kept.
 *
 * `spend_projects` and `spend_api_keys` say what projects and keys were called that are deleted, since what was spent there
 * or with them stays. Times are microseconds since 1970.
 */
export function createSpend(db: DatabaseSync): void {
	db.exec(`
		alter table spans add column api_key_id integer;
		create table spend (
			project_id integer not null,
			quarter integer not null,
			user_hash blob not null,
			api_key_id integer not null,
			slot integer not null,
			user_id text,
			tokens integer not null,
			cost_micro real not null,
			cost_pico real not null,
			gone_tokens integer not null,
			gone_micro real not null,
			gone_pico real not null,
			primary key (project_id, quarter, user_hash, api_key_id, slot)
		) strict, without rowid;
		insert into state (name, value) select 'spend_backfill', '{}' where exists (select 1 from projects);
		create table spend_projects (
			id integer primary key,
			name text not null,
			origin text,
			deleted_at integer not null
		) strict;
		create table spend_api_keys (
			id integer primary key,
			kind text not null,
			name text not null,
			last_characters text not null,
			deleted_at integer not null
		) strict;
	`);
}
