import type { DatabaseSync } from "node:sqlite";

/**
 * Ids of traces and spans that are not OpenTelemetry's: the text that was sent, by the trace id and the id that are stored in
 * its place. The trace's own text has its trace id as `id`. An annotation that waits for such an id keeps the text beside it.
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
