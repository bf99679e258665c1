import type { DatabaseSync } from "node:sqlite";
import { getRow } from "#storage/sqlite/rows.ts";

/** Later blocks are not in the text index yet. */
export function lastIndexedBlock(db: DatabaseSync): number {
	return getRow<{ last_block: number }>(db.prepare("select last_block from block_text_progress")).last_block;
}
