import type { DatabaseSync } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import { reportDamage } from "#storage/traces/content/damaged-blocks.ts";
import { type BlockMember, repackBlock } from "#storage/traces/content/repack-block.ts";

/**
 * Removes the content of spans from their blocks, before their rows are deleted; the rest of each block is packed anew.
 * Damaged or missing blocks are reported, and do not prevent the deletion.
 */
export function removeFromBlocks(
	db: DatabaseSync,
	spans: readonly { readonly id: number; readonly block_id: number }[],
): void {
	const find = db.prepare("select first_span, last_span, data from blocks where id = ?");
	const members = db.prepare("select id, ordinal from spans where id between ? and ? and block_id = ? order by id");
	const update = db.prepare("update blocks set data = ? where id = ?");
	const place = db.prepare("update spans set ordinal = ? where id = ?");
	const drop = db.prepare("delete from blocks where id = ?");
	for (const [blockId, removed] of Map.groupBy(spans, (span) => span.block_id)) {
		const row = findRow<{ first_span: number; last_span: number; data: Uint8Array }>(find, blockId);
		if (row === undefined) {
			reportDamage({ blockId, reason: "it is missing" });
			continue;
		}
		const gone = new Set(removed.map((span) => span.id));
		const all = listRows<BlockMember>(members, row.first_span, row.last_span, blockId);
		const kept = all.filter((member) => !gone.has(member.id));
		if (kept.length === 0) {
			drop.run(blockId);
			continue;
		}
		const block = repackBlock(blockId, row.data, kept);
		if (block === undefined) continue;
		update.run(block.data, blockId);
		for (const [ordinal, { id }] of block.spans.entries()) place.run(ordinal, id);
	}
}
