import type { DatabaseSync } from "node:sqlite";

/**
 * Small blocks are merged behind the commit (`traces/sqlite/upkeep/merge-blocks.ts`), up to `last_block` so far; their
 * signatures are found by block.
 */
export function mergeBlocks(db: DatabaseSync): void {
	db.exec(`
		create table block_merging (
			id integer primary key check (id = 1),
			last_block integer not null
		) strict;
		insert into block_merging (id, last_block) values (1, 0);
		create index block_text_signatures_by_block on block_text_signatures (block_id);
	`);
}
