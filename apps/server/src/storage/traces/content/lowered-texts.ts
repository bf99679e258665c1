import type { BlockSpan } from "./block.ts";

const IS_ASCII = /^[\x20-\x7e]+$/;
// UTF-8, read as Latin-1, of the letters whose lower case contains ASCII letters.
const KELVIN = "\xe2\x84\xaa";
const DOTTED_I = "\xc4\xb0";

/**
 * The bytes of a block's spans as Latin-1 text in lower case, by ordinal; undefined where that is inexact for ASCII.
 * Texts appear unchanged in the bytes, so that most spans need no decoding to rule out a word.
 */
export function loweredTexts(spans: readonly BlockSpan[]): readonly string[] | undefined {
	const lower = loweredBlock(spans);
	return lower === undefined ? undefined : spans.map((span) => lower.text.slice(...placeIn(lower, span)));
}

/**
 * The ordinals of the block's spans whose bytes may contain all words, given in lower case; undefined where the bytes do
 * not tell. Most blocks and spans are ruled out by their longest word.
 */
export function ordinalsWithWords(
	spans: readonly BlockSpan[],
	words: readonly string[],
): ReadonlySet<number> | undefined {
	const [longest, ...others] = words
		.filter((word) => IS_ASCII.test(word))
		.sort((one, other) => other.length - one.length);
	const lower = longest === undefined ? undefined : loweredBlock(spans);
	if (longest === undefined || lower === undefined) return undefined;
	const found = new Set<number>();
	let at = lower.text.indexOf(longest);
	for (const [ordinal, span] of spans.entries()) {
		if (at === -1) break;
		const [start, end] = placeIn(lower, span);
		if (at < start) at = lower.text.indexOf(longest, start);
		if (at === -1 || at + longest.length > end) continue;
		const text = lower.text.slice(start, end);
		if (others.every((word) => text.includes(word))) found.add(ordinal);
	}
	return found;
}

interface LoweredBlock {
	readonly text: string;
	/** Of the text, in the buffer of the spans. */
	readonly offset: number;
}

/** What lies from the first span to the last one; they are views of one buffer, in their order. */
function loweredBlock(spans: readonly BlockSpan[]): LoweredBlock | undefined {
	const [first, last] = [spans[0]?.bytes, spans.at(-1)?.bytes];
	if (first === undefined || last === undefined) return { text: "", offset: 0 };
	const length = last.byteOffset + last.length - first.byteOffset;
	const all = Buffer.from(first.buffer, first.byteOffset, length).toString("latin1");
	if (all.includes(KELVIN) || all.includes(DOTTED_I)) return undefined;
	return { text: all.toLowerCase(), offset: first.byteOffset };
}

function placeIn({ offset }: LoweredBlock, { bytes }: BlockSpan): [start: number, end: number] {
	const start = bytes.byteOffset - offset;
	return [start, start + bytes.length];
}

/**
 * Whether the text, of {@link loweredTexts}, may contain all words, given in lower case. Only ASCII words can be ruled
 * out.
 */
export function mayHoldWords(lowered: string, words: readonly string[]): boolean {
	return words.every((word) => !IS_ASCII.test(word) || lowered.includes(word));
}
