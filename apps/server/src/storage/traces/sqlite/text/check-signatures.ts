import type { DatabaseSync } from "node:sqlite";
import { eachRow, findRow } from "#storage/sqlite/rows.ts";
import { DamagedBlock, unpackBlock } from "#storage/traces/content/block.ts";
import { hasBit } from "#storage/traces/text/bit-slices.ts";
import { covers, signatureOf } from "#storage/traces/text/text-signature.ts";
import { LogRows } from "../write/log-rows.ts";
import { blocksOfGroup } from "./group-signatures.ts";

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
	const [first, ...others] = wrong;
	if (first === undefined) return;
	const more = others.length > 0 ? ` and ${others.length} more` : "";
	yield `text search misses texts of block ${first}${more}: the signatures lack letters`;
}

function* storedSignatures(db: DatabaseSync): Generator<Stored> {
	yield* eachRow<Stored>(db.prepare("select block_id, signature from block_text_signatures"));
	const slices = db.prepare("select bit, slice from block_text_slices where group_id = ?");
	const groups = db.prepare("select id, size, blocks from block_text_groups where is_complete = 1");
	for (const { id, size, blocks } of eachRow<{ id: number; size: number; blocks: Uint8Array }>(groups)) {
		const signatures = blocksOfGroup(blocks).map((block_id) => ({ block_id, signature: new Uint8Array(size) }));
		for (const { bit, slice } of eachRow<{ bit: number; slice: Uint8Array }>(slices, id))
			for (const [member, { signature }] of signatures.entries())
				if (hasBit(slice, member)) signature[bit >>> 3] = (signature[bit >>> 3] ?? 0) | (1 << (bit & 7));
		yield* signatures;
	}
}

/** Damaged blocks are reported elsewhere. */
function coversBlock(signature: Uint8Array, data: Uint8Array, logs: readonly Uint8Array[]): boolean {
	try {
		return covers(signature, signatureOf({ spans: unpackBlock(data), logs }));
	} catch (error) {
		if (error instanceof DamagedBlock) return true;
		throw error;
	}
}
