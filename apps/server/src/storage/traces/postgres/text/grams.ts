/** Of texts with more groups than this any word may be part. */
const MOST_GRAMS = 100_000;
/** Stands for every group; no group has this number. */
export const ANY_GRAM = -1;
/** A block of usual spans has 128 K characters. */
const LONGEST_TEXT = 1_048_576;

/**
 * Every group of three letters (UTF-16 units) in a lower-case text, as numbers. Groups with control characters, such as the
 * ends of lines between texts, are in no word and left out.
 */
export function gramsOfText(text: string): number[] {
	if (text.length > LONGEST_TEXT) return [ANY_GRAM];
	const ascii: number[] = [];
	const others = new Set<number>();
	let first = 0;
	let second = 0;
	for (let at = 0; at < text.length; at += 1) {
		const third = text.charCodeAt(at);
		if (first >= 32 && second >= 32 && third >= 32) {
			const isAscii = (first | second | third) < 128;
			const place = (first << 14) | (second << 7) | third;
			if (!isAscii) others.add(gramOf(first, second, third));
			else if (seen[place] === 0) {
				seen[place] = 1;
				ascii.push(place);
			}
		}
		first = second;
		second = third;
	}
	for (const place of ascii) seen[place] = 0;
	if (ascii.length + others.size > MOST_GRAMS) return [ANY_GRAM];
	return [...ascii.map((place) => gramOf(place >> 14, (place >> 7) & 127, place & 127)), ...others];
}

/** Which groups of ASCII letters the text at hand has: twice as fast as a set. */
const seen = new Uint8Array(1 << 21);

/** The groups that a text with this lower-case word has; none for words of one or two letters. */
export function gramsOfWord(word: string): number[] {
	return gramsOfText(word).filter((gram) => gram !== ANY_GRAM);
}

/** Different numbers for different groups of Latin letters; others may share one, and more blocks are looked through. */
function gramOf(first: number, second: number, third: number): number {
	const gram = (Math.imul(first, 1_048_576) ^ Math.imul(second, 1_024) ^ third) | 0;
	return gram === ANY_GRAM ? 0 : gram;
}
