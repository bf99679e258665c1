import type { ClientBase } from "pg";
import { chunksOf } from "#base/chunks.ts";
import { coversBlock, missedBlocks } from "#storage/traces/text/check-block.ts";
import { blocksOfGroup, signaturesOfGroup } from "#storage/traces/text/signature-groups.ts";
import { query } from "../read/query.ts";
import { logsOfBlocks } from "./logs-of-blocks.ts";

interface Stored {
	readonly block_id: number;
	readonly signature: Uint8Array;
}

/** Blocks in memory at a time. */
const STEP_BLOCKS = 100;

/** A sentence if searches miss texts of some blocks: their signatures lack letter groups. */
export async function* wrongSignatures(client: ClientBase): AsyncGenerator<string> {
	const wrong: number[] = [];
	for (const { month } of await query<{ month: number }>(client, "select distinct month from blocks order by month")) {
		const right = new Set<number>();
		for await (const stored of storedSignatures(client, month)) {
			const unseen = stored.filter(({ block_id }) => !right.has(block_id));
			const blocks = await query<{ id: number; data: Uint8Array }>(
				client,
				"select id, data from blocks where id = any(?::bigint[]) and month = ?",
				[unseen.map(({ block_id }) => block_id), month],
			);
			const byId = new Map(blocks.map(({ id, data }) => [id, data]));
			const logs = await logsOfBlocks(client, new Map(blocks.map(({ id }) => [id, month])));
			for (const { block_id, signature } of unseen) {
				const data = byId.get(block_id);
				if (data !== undefined && coversBlock(signature, data, logs(block_id))) right.add(block_id);
			}
		}
		const signed = await query<{ id: number }>(
			client,
			`select id from blocks where month = ?
				and not exists (select from block_text_waiting where block_id = blocks.id)
				and not exists (select from block_text_unsigned where blocks.id between first_block and last_block)
			order by id`,
			[month],
		);
		for (const { id } of signed) if (!right.has(id)) wrong.push(id);
	}
	yield* missedBlocks(wrong);
}

/** The signatures of a month, a few at a time. */
async function* storedSignatures(client: ClientBase, month: number): AsyncGenerator<readonly Stored[]> {
	await client.query(
		"declare signatures no scroll cursor for select block_id, signature from block_text_signatures where month = $1",
		[month],
	);
	for (;;) {
		const { rows } = await client.query<Stored>(`fetch ${STEP_BLOCKS} from signatures`);
		if (rows.length === 0) break;
		yield rows;
	}
	await client.query("close signatures");
	const groups = await query<{ id: number }>(client, "select id from block_text_groups where month = ? order by id", [
		month,
	]);
	for (const { id } of groups)
		for (const part of chunksOf(await membersOfGroup(client, id, month), STEP_BLOCKS)) yield part;
}

async function membersOfGroup(client: ClientBase, id: number, month: number): Promise<Stored[]> {
	const rows = await query<{ size: number; members: number; blocks: Uint8Array; slices: Uint8Array }>(
		client,
		"select size, members, blocks, slices from block_text_groups where id = ? and month = ?",
		[id, month],
	);
	return rows.flatMap(({ size, members, blocks, slices }) => {
		// Slices are missing: the signatures cannot be known.
		if (slices.length !== size * members) return [];
		const length = members / 8;
		const all = Array.from({ length: 8 * size }, (_, bit) => slices.subarray(bit * length, (bit + 1) * length));
		const signatures = signaturesOfGroup(all, size);
		return blocksOfGroup(blocks).map((block_id, member) => ({ block_id, signature: signatures.slice(member) }));
	});
}
