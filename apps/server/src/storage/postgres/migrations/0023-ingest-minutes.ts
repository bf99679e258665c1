import type { ClientBase } from "pg";

/** As SQLite's migration of this number. */
export async function createIngestMinutes(client: ClientBase): Promise<void> {
	await client.query(`
		create table ingest_minutes (
			minute bigint not null,
			server text collate "C" not null,
			reason text collate "C" not null,
			accepted_spans bigint not null,
			duplicate_spans bigint not null,
			rejected_spans bigint not null,
			refused_requests bigint not null,
			primary key (minute, server, reason)
		);
	`);
}
