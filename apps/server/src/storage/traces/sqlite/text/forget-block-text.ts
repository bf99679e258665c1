import type { DatabaseSync } from "node:sqlite";
import { lastIndexedBlock } from "./last-indexed-block.ts";

/** Removes blocks from the text index, within a transaction. Blocks that are not in it are ignored. */
export function forgetBlockText(db: DatabaseSync, blockIds: readonly number[]): void {
	const indexedThrough = lastIndexedBlock(db);
	const forget = db.prepare("delete from block_text where rowid = ?");
	const forgetStale = db.prepare("delete from block_text_stale where block_id = ?");
	const forgetSkipped = db.prepare("delete from block_text_skipped where block_id = ?");
	for (const id of blockIds) {
		if (id > indexedThrough) continue;
		// FTS5 leaves a number beyond 2^53 as the last inserted row, which `run` cannot return. `get` does not read it, and
		// an insert into an ordinary table resets it.
		forget.get(id);
		forgetStale.get(id);
		forgetSkipped.get(id);
	}
	db.exec("replace into block_text_progress (id, last_block) select id, last_block from block_text_progress");
}
