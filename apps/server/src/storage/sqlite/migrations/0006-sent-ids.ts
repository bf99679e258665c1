import type { DatabaseSync } from "node:sqlite";

/**
 * Ids of traces and spans that are not OpenTelemetry's: the text that was sent, by trace id and the id stored in its
 * place. For the id of a trace itself, `id` is the trace id. An annotation that waits for such an id has a column for
 * the text.
 */
export function createSentIds(db: DatabaseSync): void {
	db.exec(`
		create table sent_ids (
			trace_id blob not null,
			id blob not null,
			text text not null,
			created_at integer not null,
			primary key (trace_id, id)
		) strict, without rowid;
		alter table waiting_annotations add column sent_target_id text;
	`);
}
