import { type Block, type BlockSpan, packBlocks, unpackBlock } from "./block.ts";

/** A span's row number and its place in the block. */
export interface BlockMember {
	readonly id: number;
	readonly ordinal: number;
}

/** The block with only these spans left, in the order of their new ordinals. @throws Error when the block lacks one */
export function repackBlock(
	blockId: number,
	data: Uint8Array,
	members: readonly BlockMember[],
): Block<BlockSpan & { readonly id: number }> {
	const stored = unpackBlock(data);
	const spans = members.map(({ id, ordinal }) => {
		const span = stored[ordinal];
		if (span === undefined) throw new Error(`block ${blockId} has no span ${ordinal}`);
		return { ...span, id };
	});
	const [block] = packBlocks(spans);
	if (block === undefined || block.spans.length !== spans.length) throw new Error(`block ${blockId} does not repack`);
	return block;
}
