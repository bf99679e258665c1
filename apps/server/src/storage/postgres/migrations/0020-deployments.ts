import type { ClientBase } from "pg";

/** As SQLite's migration of this number. What servers of the former version still receive has no release. */
export async function addDeployments(client: ClientBase): Promise<void> {
	await client.query(`
		alter table spans add column release text collate "C", add column environment text collate "C";
		alter table traces
			add column release_span bigint,
			add column release text collate "C",
			add column environment_span bigint,
			add column environment text collate "C";
		create table unread_deployments (first_span bigint primary key, last_span bigint not null);
		insert into unread_deployments (first_span, last_span)
			select (select min(id) from spans), (select max(id) from spans) where exists (select 1 from spans);
	`);
}
