import type { DatabaseSync } from "node:sqlite";

/**
 * Counts the spans without an end. Those that are stored already were taken for ended in 1970, and count as such. Zones
 * are filled again, as these spans can get larger values.
 */
export function countRunningSpans(db: DatabaseSync): void {
	for (const table of ["traces", "sessions", "hours"])
		db.exec(`alter table ${table} add column running_count integer not null default 0`);
	db.exec("delete from span_zones");
}
