import type { ClientBase } from "pg";

/** The same as version 6 of the SQLite schema. */
export async function createSentIds(client: ClientBase): Promise<void> {
	await client.query(`
		create table sent_ids (
			trace_id bytea not null,
			id bytea not null,
			text text collate "C" not null,
			created_at bigint not null,
			primary key (trace_id, id)
		);
		alter table waiting_annotations add column sent_target_id text collate "C"`);
}
