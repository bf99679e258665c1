import type { DatabaseSync } from "node:sqlite";

/**
 * Traces by user, with what lists of users are sorted by most: how much each costs is added up from this index alone.
 * Where traces have no users it is empty.
 */
export function indexTracesByUser(db: DatabaseSync): void {
	db.exec(`
		create index traces_by_user on traces (project_id, user_id, start_micros, cost_micro, cost_pico)
			where user_id is not null;
	`);
}
