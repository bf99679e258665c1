/** A text with more trigrams is indexed as containing any word. */
const MOST_GRAMS = 100_000;
/** Stands for every trigram; no trigram has this number. */
export const ANY_GRAM = -1;
/** Longest indexed text. A block of usual spans has 128 K characters. */
const LONGEST_TEXT = 1_048_576;

/**
 * The trigrams (three UTF-16 units) of a lower-case text, as numbers. Those with control characters, such as the line
 * ends between texts, occur in no word and are left out.
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

/** Marks the trigrams of ASCII letters found in the current text: twice as fast as a set. */
const seen = new Uint8Array(1 << 21);

/** The trigrams of a lower-case word; none for words of one or two letters. */
export function gramsOfWord(word: string): number[] {
	return gramsOfText(word).filter((gram) => gram !== ANY_GRAM);
}

/** Unique for trigrams of Latin letters; others may collide, which only means searching more blocks. */
function gramOf(first: number, second: number, third: number): number {
	const gram = (Math.imul(first, 1_048_576) ^ Math.imul(second, 1_024) ^ third) | 0;
	return gram === ANY_GRAM ? 0 : gram;
}
