import type { DatabaseSync } from "node:sqlite";

/**
 * What became of exports, by the minute of the answer (minutes since 1970), the server that answered, and the reason why
 * spans were left out or a request was refused, which is empty for what was taken (`ingest/history/`).
 */
export function createIngestMinutes(db: DatabaseSync): void {
	db.exec(`
		create table ingest_minutes (
			minute integer not null,
			server text not null,
			reason text not null,
			accepted_spans integer not null,
			duplicate_spans integer not null,
			rejected_spans integer not null,
			refused_requests integer not null,
			primary key (minute, server, reason)
		) strict, without rowid;
	`);
}
