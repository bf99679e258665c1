import type { DatabaseSync } from "node:sqlite";
import { hasRow } from "#storage/sqlite/rows.ts";

/** Work that a stopped server left unfinished. */
export interface LeftOver {
	readonly halfDeleted: boolean;
	readonly unindexed: boolean;
}

export function findLeftOver(db: DatabaseSync): LeftOver {
	const any = (rows: string) => hasRow(db.prepare(`select 1 from ${rows} limit 1`));
	return {
		// A trace whose deletion was interrupted has a negative project number.
		halfDeleted: any("traces where project_id < 0"),
		unindexed: any("block_text_unsigned"),
	};
}
