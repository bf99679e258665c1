import type { BlockSpan } from "./block.ts";

const IS_ASCII = /^[\x20-\x7e]+$/;
// UTF-8 of the letters that have ASCII in their lower case.
const KELVIN = "\xe2\x84\xaa";
const DOTTED_I = "\xc4\xb0";

/**
 * The bytes of a block's spans as letters, in lower case, by ordinal; undefined where that is not exact for ASCII. Texts
 * stand in them as they are, so that most spans need not be decoded to know that a word is not there.
 */
export function loweredTexts(spans: readonly BlockSpan[]): readonly string[] | undefined {
	const all = Buffer.from(spans[0]?.bytes.buffer ?? new ArrayBuffer(0)).toString("latin1");
	if (all.includes(KELVIN) || all.includes(DOTTED_I)) return undefined;
	const lower = all.toLowerCase();
	return spans.map(({ bytes }) => lower.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** False when not all of the words, in lower case, stand in a text of {@link loweredTexts}. */
export function mayHoldWords(lowered: string, words: readonly string[]): boolean {
	return words.every((word) => !IS_ASCII.test(word) || lowered.includes(word));
}
