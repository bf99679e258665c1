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
	const { text, offset } = textOfBlock(spans);
	if (text.includes(KELVIN) || text.includes(DOTTED_I)) return undefined;
	const lower = { text: text.toLowerCase(), offset };
	return spans.map((span) => lower.text.slice(...placeIn(lower, span)));
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
	if (longest === undefined) return undefined;
	const block = textOfBlock(spans);
	if (hasLettersThatLower(block.text, [longest, ...others])) return undefined;
	const found = new Set<number>();
	// Takes half as long as to put a block into lower case and search it.
	const search = new RegExp(longest.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "gi");
	const next = (from: number) => {
		search.lastIndex = from;
		return search.exec(block.text)?.index ?? -1;
	};
	let at = next(0);
	for (const [ordinal, span] of spans.entries()) {
		if (at === -1) break;
		const [start, end] = placeIn(block, span);
		if (at < start) at = next(start);
		if (at === -1 || at + longest.length > end) continue;
		const text = block.text.slice(start, end).toLowerCase();
		if (others.every((word) => text.includes(word))) found.add(ordinal);
	}
	return found;
}

interface BlockText {
	readonly text: string;
	/** Of the text, in the buffer of the spans. */
	readonly offset: number;
}

/** What lies from the first span to the last one, as Latin-1; they are views of one buffer, in their order. */
function textOfBlock(spans: readonly BlockSpan[]): BlockText {
	const [first, last] = [spans[0]?.bytes, spans.at(-1)?.bytes];
	if (first === undefined || last === undefined) return { text: "", offset: 0 };
	const length = last.byteOffset + last.length - first.byteOffset;
	const text = Buffer.from(first.buffer, first.byteOffset, length).toString("latin1");
	return { text, offset: first.byteOffset };
}

/** Whether the text has letters beyond ASCII whose lower case may be part of one of these words. */
function hasLettersThatLower(text: string, words: readonly string[]): boolean {
	const may = (letter: string) => words.some((word) => word.includes(letter));
	return (may("k") && text.includes(KELVIN)) || (may("i") && text.includes(DOTTED_I));
}

function placeIn({ offset }: BlockText, { bytes }: BlockSpan): [start: number, end: number] {
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
