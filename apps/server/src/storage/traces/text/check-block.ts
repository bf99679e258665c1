import { DamagedBlock, unpackBlock } from "../content/block.ts";
import { covers, signatureOf } from "./text-signature.ts";

/** Whether a signature has all texts of a block's spans and of their log records. Damaged blocks are reported elsewhere. */
export function coversBlock(signature: Uint8Array, data: Uint8Array, logs: readonly Uint8Array[]): boolean {
	try {
		return covers(signature, signatureOf({ spans: unpackBlock(data), logs }));
	} catch (error) {
		if (error instanceof DamagedBlock) return true;
		throw error;
	}
}

/** A sentence about blocks of whose texts searches miss some, if there are any. */
export function* missedBlocks([first, ...others]: readonly number[]): Generator<string> {
	if (first === undefined) return;
	const more = others.length > 0 ? ` and ${others.length} more` : "";
	yield `text search misses texts of block ${first}${more}: the signatures lack letters`;
}
