import type { ClientBase } from "pg";

/** As SQLite's migration of this number. Each writer has a slot, so that they do not wait for each other. */
export async function createSpend(client: ClientBase): Promise<void> {
	await client.query(`
		alter table spans add column api_key_id bigint;
		create table spend (
			project_id bigint not null,
			quarter bigint not null,
			user_hash bytea not null,
			api_key_id bigint not null,
			slot bigint not null,
			user_id text collate "C",
			tokens bigint not null,
			cost_micro double precision not null,
			cost_pico double precision not null,
			gone_tokens bigint not null,
			gone_micro double precision not null,
			gone_pico double precision not null,
			primary key (project_id, quarter, user_hash, api_key_id, slot)
		);
		insert into state (name, value) select 'spend_backfill', '{}' where exists (select 1 from projects);
		create table spend_projects (
			id bigint primary key,
			name text collate "C" not null,
			origin text collate "C",
			deleted_at bigint not null
		);
		create table spend_api_keys (
			id bigint primary key,
			kind text collate "C" not null,
			name text collate "C" not null,
			last_characters text collate "C" not null,
			deleted_at bigint not null
		);
	`);
}
