import type { DatabaseSync } from "node:sqlite";

/**
 * Spans and traces get the release and the environment of what sent them, with the earliest span of a trace that has
 * them. They are read from the content of the spans that are there behind the commits: row numbers from the first to the
 * last of a row of `unread_deployments` are still to do.
 */
export function addDeployments(db: DatabaseSync): void {
	db.exec(`
		alter table spans add column release text;
		alter table spans add column environment text;
		alter table traces add column release_span integer;
		alter table traces add column release text;
		alter table traces add column environment_span integer;
		alter table traces add column environment text;
		create table unread_deployments (first_span integer primary key, last_span integer not null) strict;
		insert into unread_deployments (first_span, last_span)
			select (select min(id) from spans), (select max(id) from spans) where exists (select 1 from spans);
	`);
}
