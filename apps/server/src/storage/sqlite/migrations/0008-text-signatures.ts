import type { DatabaseSync } from "node:sqlite";

/**
 * The text index becomes signatures of blocks (`traces/text/text-signature.ts`), which are written with their block.
 * Each is a row of `block_text_signatures`, of `size` bytes, until it is turned around with others of its size: a row of
 * `block_text_groups` lists their blocks, as 64-bit numbers, and a row of `block_text_slices` has one bit of each. While
 * `is_complete` is 0, a group is being made or deleted. A block may have several signatures, as log records add to its
 * texts; deleted blocks keep theirs until their group goes.
 *
 * Blocks within a range of `block_text_unsigned` have no signature, or one that lacks something.
 */
export function createTextSignatures(db: DatabaseSync): void {
	db.exec(`
		drop table block_text;
		drop table block_text_progress;
		drop table block_text_stale;
		drop table block_text_skipped;

		create table block_text_signatures (
			id integer primary key,
			size integer not null,
			block_id integer not null,
			signature blob not null
		) strict;
		create index block_text_signatures_by_size on block_text_signatures (size);
		create table block_text_groups (
			id integer primary key,
			size integer not null,
			is_complete integer not null check (is_complete in (0, 1)),
			blocks blob not null
		) strict;
		create table block_text_slices (
			group_id integer not null,
			bit integer not null,
			slice blob not null,
			primary key (group_id, bit)
		) strict, without rowid;
		create table block_text_unsigned (first_block integer primary key, last_block integer not null) strict;
		insert into block_text_unsigned (first_block, last_block)
			select min(id), max(id) from blocks having count(*) > 0;
	`);
}
