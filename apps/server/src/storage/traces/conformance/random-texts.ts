/** Letters of many scripts, among them those whose lower case has another length, other bytes, or depends on neighbours. */
const ALPHABETS = [
	"abcdefgXYZ0123456789.,:;-_/\"'{}",
	"etaoin shrdlu ETAOIN",
	"äöüßÄÖÜẞéÉñÑçÇ",
	"ΑΣσςΩωάΆ ΣΑΣ",
	"КПРкпрЁё",
	"İIıiKkÅåſS",
	"Ǆǅǆŉΐﬀﬃ",
	"漢字かなカナ한글",
	"שלוםمرحبا",
	"😀👩‍👧🏽𝔄𐐀𐐨",
	"\u0001\u200b\u00ad\ufeff",
] as const;

/** Up to 60 letters of one or two alphabets. */
export function randomText(random: () => number): string {
	const alphabets = [pick(random, ALPHABETS), pick(random, ALPHABETS)];
	return Array.from({ length: Math.floor(random() * 60) }, () => pick(random, [...pick(random, alphabets)])).join("");
}

/** A part of a text, from one letter to twelve; it may end within a surrogate pair. */
export function randomPart(random: () => number, text: string): string {
	const start = Math.floor(random() * text.length);
	return text.slice(start, start + 1 + Math.floor(random() * 12));
}

function pick<T>(random: () => number, items: readonly T[]): T {
	return items[Math.floor(random() * items.length)] as T;
}
