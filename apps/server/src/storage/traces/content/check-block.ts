import { decodeSpan, OtlpDecodeError } from "@spanward/otlp";
import { toHex } from "../totals/span-node.ts";
import { type BlockSpan, unpackBlock } from "./block.ts";

/** The columns of `spans` that say where the content is. */
export interface MemberRow {
	readonly span_id: Uint8Array;
	readonly ordinal: number;
}

/** What is wrong with a block to which these rows refer: a sentence for each defect. */
export function* wrongBlock(id: number, data: Uint8Array, members: readonly MemberRow[]): Generator<string> {
	const block = unpacked(data);
	if (block === undefined) {
		yield `block ${id} cannot be read`;
		return;
	}
	if (members.length !== block.length)
		yield `block ${id} holds ${block.length} spans, ${members.length} rows refer to it`;
	for (const { span_id, ordinal } of members) {
		const bytes = block[ordinal]?.bytes;
		const spanId = toHex(span_id);
		if (bytes === undefined || spanIdOf(bytes) !== spanId)
			yield `span ${spanId} is not at place ${ordinal} of block ${id}`;
	}
}

/** Undefined when the bytes are no span, as decompressing does not notice every damage. */
function spanIdOf(bytes: Uint8Array): string | undefined {
	try {
		return decodeSpan(bytes).spanId;
	} catch (error) {
		if (error instanceof OtlpDecodeError) return undefined;
		throw error;
	}
}

function unpacked(data: Uint8Array): BlockSpan[] | undefined {
	try {
		return unpackBlock(data);
	} catch (error) {
		if (error instanceof Error) return undefined;
		throw error;
	}
}
