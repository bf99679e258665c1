import type { DatabaseSync } from "node:sqlite";

/**
 * The largest values of the spans in a zone, which filters compare with before they read its rows
 * (`traces/sqlite/read/span-zones.ts`): zone `n` has row numbers `128 * n` to `128 * n + 127`. Filled behind the commit,
 * from the first spans on. A zone without a row had no spans when it was filled.
 */
export function createSpanZones(db: DatabaseSync): void {
	db.exec(`
		create table span_zones (
			zone integer primary key,
			status_code integer not null,
			latency_micros integer not null,
			tokens_prompt integer,
			tokens_completion integer,
			tokens_total integer
		) strict;
	`);
}
