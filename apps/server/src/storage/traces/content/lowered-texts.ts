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
	const all = Buffer.from(spans[0]?.bytes.buffer ?? new ArrayBuffer(0)).toString("latin1");
	if (all.includes(KELVIN) || all.includes(DOTTED_I)) return undefined;
	const lower = all.toLowerCase();
	return spans.map(({ bytes }) => lower.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/**
 * Whether the text, of {@link loweredTexts}, may contain all words, given in lower case. Only ASCII words can be ruled
 * out.
 */
export function mayHoldWords(lowered: string, words: readonly string[]): boolean {
	return words.every((word) => !IS_ASCII.test(word) || lowered.includes(word));
}
