import type { DatabaseSync } from "node:sqlite";
import { eachRow, findRow, listRows } from "#storage/sqlite/rows.ts";
import { coversBlock, missedBlocks } from "#storage/traces/text/check-block.ts";
import { blocksOfGroup, signaturesOfGroup } from "#storage/traces/text/signature-groups.ts";
import { LogRows } from "../write/log-rows.ts";

interface Stored {
	readonly block_id: number;
	readonly signature: Uint8Array;
}

/** A sentence if searches miss texts of some blocks: their signatures lack letter groups. */
export function* wrongSignatures(db: DatabaseSync): Generator<string> {
	const find = db.prepare("select data from blocks where id = ?");
	const logs = new LogRows(db);
	logs.begin();
	const right = new Set<number>();
	for (const { block_id, signature } of storedSignatures(db)) {
		const block = right.has(block_id) ? undefined : findRow<{ data: Uint8Array }>(find, block_id);
		if (block !== undefined && coversBlock(signature, block.data, logs.ofBlock(block_id))) right.add(block_id);
	}
	const wrong: number[] = [];
	const signed = db.prepare(
		`select id from blocks where not exists (
			select 1 from block_text_unsigned where blocks.id between first_block and last_block)`,
	);
	for (const { id } of eachRow<{ id: number }>(signed)) if (!right.has(id)) wrong.push(id);
	yield* missedBlocks(wrong);
}

function* storedSignatures(db: DatabaseSync): Generator<Stored> {
	yield* eachRow<Stored>(db.prepare("select block_id, signature from block_text_signatures"));
	const slicesOf = db.prepare("select slice from block_text_slices where group_id = ? order by bit");
	const groups = db.prepare("select id, size, blocks from block_text_groups where is_complete = 1");
	for (const { id, size, blocks } of eachRow<{ id: number; size: number; blocks: Uint8Array }>(groups)) {
		const slices = listRows<{ slice: Uint8Array }>(slicesOf, id).map(({ slice }) => slice);
		// Slices are missing: the signatures cannot be known.
		if (slices.length !== 8 * size) continue;
		const signatures = signaturesOfGroup(slices, size);
		for (const [member, block_id] of blocksOfGroup(blocks).entries())
			yield { block_id, signature: signatures.slice(member) };
	}
}
