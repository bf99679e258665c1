import type { ClientBase } from "pg";
import { noteUnsigned } from "#storage/traces/postgres/text/unsigned-blocks.ts";

/**
 * The text index becomes signatures of blocks, as in version 8 of the SQLite schema. Each is a row of
 * `block_text_signatures` until it is turned around with others of its month and size: a row of `block_text_groups`,
 * whose `slices` follow each other, each with one bit of every member. The number of members is a multiple of eight; the
 * list of `blocks` may be shorter. Groups have partitions like those of blocks, so that a month can be dropped.
 *
 * Rows of up to a page are not moved out of line (`toast_tuple_target`); larger signatures are read in parts.
 *
 * Blocks without a signature are in a range of `block_text_unsigned`, or in `block_text_waiting` if their server has the
 * text index off or is of the former version. For such servers, `block_text` says that any block may contain any word;
 * the next version of the schema can drop it.
 */
export async function createTextSignatures(client: ClientBase): Promise<void> {
	await client.query(`
		lock table block_text_waiting, block_text in access exclusive mode;
		drop table block_text;
		truncate block_text_waiting;
		create view block_text as select id as block_id, month, array[-1] as grams from blocks;
		create rule keep_blocks as on delete to block_text do instead nothing;

		create table block_text_signatures (
			month bigint not null,
			size integer not null,
			block_id bigint not null,
			signature bytea not null
		) with (toast_tuple_target = 8160);
		alter table block_text_signatures alter column signature set storage external;
		create index block_text_signatures_by_size on block_text_signatures (month, size);

		create sequence block_text_group_numbers;
		create table block_text_groups (
			id bigint not null,
			month bigint not null,
			size integer not null,
			members integer not null,
			blocks bytea not null,
			slices bytea not null,
			primary key (id, month)
		) partition by range (month);
		alter table block_text_groups alter column blocks set storage external, alter column slices set storage external;
		do $do$
			declare part record;
			begin
				for part in select replace(relname, 'blocks_', 'block_text_groups_') as name,
						pg_get_expr(relpartbound, pg_class.oid) as bound
					from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'blocks'::regclass
				loop
					execute format('create table %I partition of block_text_groups %s', part.name, part.bound);
				end loop;
			end
		$do$;

		create table block_text_unsigned (first_block bigint primary key, last_block bigint not null);
	`);
	await noteUnsigned(client);
}
