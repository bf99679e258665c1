import type { DatabaseSync } from "node:sqlite";
import { packBlocks, unpackBlock } from "../block.ts";

/** Takes spans out of their blocks; what remains of a block is written anew. */
export function removeFromBlocks(db: DatabaseSync, traceRowId: number, removed: ReadonlySet<number>): void {
	const spans = db
		.prepare("select id, block_id, ordinal from spans where trace_row_id = ? order by id")
		.all(traceRowId);
	const rows = spans as unknown as { id: number; block_id: number; ordinal: number }[];
	const find = db.prepare("select data from blocks where id = ?");
	const update = db.prepare("update blocks set data = ? where id = ?");
	const place = db.prepare("update spans set ordinal = ? where id = ?");
	const drop = db.prepare("delete from blocks where id = ?");
	for (const [blockId, members] of Map.groupBy(rows, (row) => row.block_id)) {
		if (!members.some((member) => removed.has(member.id))) continue;
		const remaining = members.filter((member) => !removed.has(member.id));
		if (remaining.length === 0) {
			drop.run(blockId);
			continue;
		}
		const data = find.get(blockId)?.["data"];
		if (!(data instanceof Uint8Array)) throw new Error(`block ${blockId} is missing`);
		const stored = unpackBlock(data);
		const kept = remaining.map((member) => {
			const span = stored[member.ordinal];
			if (span === undefined) throw new Error(`block ${blockId} has no span ${member.ordinal}`);
			return { ...span, id: member.id };
		});
		const [block] = packBlocks(kept);
		if (block === undefined) throw new Error("a block of spans packs to nothing");
		update.run(block.data, blockId);
		for (const [ordinal, { id }] of block.spans.entries()) place.run(ordinal, id);
	}
}
