import { type Block, type BlockSpan, packBlocks } from "./block.ts";
import { readBlock, reportDamage } from "./damaged-blocks.ts";

/** A span's row number and its place in the block. */
export interface BlockMember {
	readonly id: number;
	readonly ordinal: number;
}

/**
 * Packs a block anew with only these spans, in the order of their new ordinals. Undefined, after a report, when the
 * block is damaged: it then stays unchanged until its last span is deleted.
 */
export function repackBlock(
	blockId: number,
	data: Uint8Array,
	members: readonly BlockMember[],
): Block<BlockSpan & { readonly id: number }> | undefined {
	const stored = readBlock(blockId, data);
	if (stored.length === 0) return undefined;
	const spans = members.flatMap(({ id, ordinal }) => {
		const span = stored[ordinal];
		return span === undefined ? [] : [{ ...span, id }];
	});
	if (spans.length < members.length) {
		reportDamage({ blockId, reason: "it lacks spans" });
		return undefined;
	}
	const [block] = packBlocks(spans);
	if (block === undefined || block.spans.length !== spans.length) throw new Error(`block ${blockId} does not repack`);
	return block;
}
