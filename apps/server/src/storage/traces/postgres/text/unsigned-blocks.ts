import type { ClientBase } from "pg";
import { type Queryable, query } from "../read/query.ts";

/** Block numbers in a range: as many as one process signs in some minutes. */
const RANGE_BLOCKS = 10_000;
/** Blocks that were written without a signature are listed one by one; longer lists are not read. */
const MOST_LISTED = 5_000;

/**
 * Begins a transaction that decides by which blocks exist: it waits for somebody who moves blocks into the partition of
 * a new month, as a statement that began before sees them in neither table.
 */
export const BEGIN_WITH_BLOCKS = "begin; lock table only blocks, blocks_default in access share mode";

/** Blocks without a signature. */
export interface UnsignedBlocks {
	/** Single ones, with their months. */
	readonly listed: ReadonlyMap<number, number>;
	/** The others are within these: the first and the last number, both included. */
	readonly ranges: readonly (readonly [number, number])[];
}

/** Undefined when there are too many to tell which ones. */
export async function readUnsigned(client: Queryable): Promise<UnsignedBlocks | undefined> {
	const rows = await query<{ block_id: number; month: number }>(
		client,
		"select block_id, month from block_text_waiting limit ?",
		[MOST_LISTED + 1],
	);
	if (rows.length > MOST_LISTED) return undefined;
	const ranges = await query<{ first_block: number; last_block: number }>(
		client,
		"select first_block, last_block from block_text_unsigned order by first_block desc",
	);
	const joined: [number, number][] = [];
	for (const { first_block, last_block } of ranges) {
		const next = joined.at(-1);
		if (next?.[0] === last_block + 1) next[0] = first_block;
		else joined.push([first_block, last_block]);
	}
	return { listed: new Map(rows.map(({ block_id, month }) => [block_id, month])), ranges: joined };
}

/** Notes that no block has a signature, in ranges that several processes can work on. */
export async function noteUnsigned(client: ClientBase): Promise<void> {
	await client.query(
		`insert into block_text_unsigned (first_block, last_block)
		select first_block, least(first_block + $1::bigint - 1, last_block)
		from (select min(id) as first, max(id) as last_block from blocks) as stored
			cross join generate_series(first, last_block, $1::bigint) as first_block`,
		[RANGE_BLOCKS],
	);
}
