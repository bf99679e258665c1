import type { ClientBase } from "pg";
import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { binaryQuery } from "#storage/postgres/binary-results.ts";
import { reportDamage } from "#storage/traces/content/damaged-blocks.ts";
import { type BlockMember, repackBlock } from "#storage/traces/content/repack-block.ts";
import { keysOfBlocks, periodOfKey } from "../periods.ts";

/** A span and the place of its content. */
export interface SpanInBlock {
	readonly id: number;
	readonly block_id: number;
	readonly start_micros: number;
}

/** Blocks in memory at a time. */
const REPACKED_TOGETHER = 16;

/**
 * Removes the content of spans from their blocks, before their rows are deleted; the rest of each block is packed anew.
 * Locks the blocks: a concurrent removal from the same block waits, and then sees the result of this one. Damaged or
 * missing blocks are reported, and do not prevent the deletion.
 */
export async function removeFromBlocks(client: ClientBase, spans: readonly SpanInBlock[]): Promise<void> {
	const gone = new Set(spans.map((span) => span.id));
	const blockIds = [...new Set(spans.map((span) => span.block_id))];
	const { rows: found } = await client.query<{ id: number; month: number }>(
		"select id, month from blocks where id = any($1::bigint[]) and month = any($2::bigint[]) order by id for update",
		[blockIds, keysOfBlocks(spans.map((span) => span.start_micros))],
	);
	const there = new Set(found.map(({ id }) => id));
	const missing = blockIds.filter((id) => !there.has(id));
	for (const blockId of missing) reportDamage({ blockId, reason: "it is missing" });
	if (missing.length > 0)
		await client.query("delete from block_text_waiting where block_id = any($1::bigint[])", [missing]);
	for (const [month, blocks] of Map.groupBy(found, (block) => block.month))
		await removeFromPeriod(
			client,
			month,
			blocks.map(({ id }) => id),
			gone,
		);
}

/** @param month what the locked blocks have in their column of that name */
async function removeFromPeriod(
	client: ClientBase,
	month: number,
	blockIds: readonly number[],
	gone: ReadonlySet<number>,
): Promise<void> {
	const kept = await findKept(client, month, blockIds, gone);
	const emptied = blockIds.filter((id) => !kept.has(id));
	if (emptied.length > 0) {
		await client.query("delete from block_text_waiting where block_id = any($1::bigint[])", [emptied]);
		await client.query("delete from blocks where id = any($1::bigint[]) and month = $2", [emptied, month]);
	}
	for (const part of chunksOf([...kept], REPACKED_TOGETHER)) await repack(client, month, new Map(part));
}

/** The remaining members of each block, by row number; blocks without any are absent. */
async function findKept(
	client: ClientBase,
	month: number,
	blockIds: readonly number[],
	gone: ReadonlySet<number>,
): Promise<Map<number, BlockMember[]>> {
	const { from, to } = periodOfKey(month);
	// The range holds few spans, which the planner cannot know: without `offset 0` it may read the whole partition.
	const { rows } = await client.query<BlockMember & { block_id: number }>(
		`select member.id, member.ordinal, blocks.id as block_id from blocks cross join lateral (
			select spans.id, spans.ordinal from spans
			where spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id
				and spans.start_micros >= $3 and spans.start_micros < $4
			order by spans.id offset 0) as member
		where blocks.id = any($1::bigint[]) and blocks.month = $2`,
		[blockIds, month, from, to],
	);
	return Map.groupBy(
		rows.filter((row) => !gone.has(row.id)),
		(row) => row.block_id,
	);
}

async function repack(
	client: ClientBase,
	month: number,
	kept: ReadonlyMap<number, readonly BlockMember[]>,
): Promise<void> {
	const { rows } = await client.query<{ id: number; data: Buffer }>(
		binaryQuery("select id, data from blocks where id = any($1::bigint[]) and month = $2", [[...kept.keys()], month]),
	);
	const ids: number[] = [];
	const data: Uint8Array[] = [];
	const places: [id: number, ordinal: number][] = [];
	for (const row of rows) {
		const block = repackBlock(row.id, row.data, present(kept.get(row.id), "what stays of a block"));
		if (block === undefined) continue;
		ids.push(row.id);
		data.push(block.data);
		places.push(...block.spans.map(({ id }, ordinal): [number, number] => [id, ordinal]));
	}
	await client.query(
		`update blocks set data = packed.data from unnest($1::bigint[], $2::bytea[]) as packed (id, data)
		where blocks.id = packed.id and blocks.month = $3`,
		[ids, data, month],
	);
	const { from, to } = periodOfKey(month);
	await client.query(
		`update spans set ordinal = place.ordinal from unnest($1::bigint[], $2::integer[]) as place (id, ordinal)
		where spans.id = place.id and spans.start_micros >= $3 and spans.start_micros < $4
			and spans.ordinal <> place.ordinal`,
		[places.map(([id]) => id), places.map(([, ordinal]) => ordinal), from, to],
	);
}
