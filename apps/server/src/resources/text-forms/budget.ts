/** Models count tokens in their own ways; of English text and JSON most need one for about four bytes. */
const BYTES_PER_TOKEN = 4;
/** UTF-8 characters have at most so many bytes. */
const MAX_CHARACTER_BYTES = 4;

/** Bytes of UTF-8 that so many tokens stand for. */
export function bytesOfTokens(tokens: number): number {
	return tokens * BYTES_PER_TOKEN;
}

export function byteLength(text: string): number {
	return Buffer.byteLength(text);
}

/**
 * A text of at most `maxBytes` bytes: head and tail with the number of characters between them that were left out.
 * @param maxBytes at least 40, or nothing but the number is left
 */
export function headAndTail(text: string, maxBytes: number): string {
	if (byteLength(text) <= maxBytes) return text;
	const gap = (characters: number) => `[… ${grouped(characters)} characters left out …]`;
	const room = Math.max(0, maxBytes - byteLength(gap(text.length)));
	const head = cutStart(text, Math.ceil((room * 2) / 3));
	const tail = cutEnd(text, room - byteLength(head));
	return `${head}${gap(text.length - head.length - tail.length)}${tail}`;
}

/** The longest beginning of a text that has at most so many bytes, without half a character. */
export function cutStart(text: string, maxBytes: number): string {
	const bytes = Buffer.from(text.slice(0, maxBytes));
	if (bytes.length <= maxBytes) return text.slice(0, maxBytes);
	let end = maxBytes;
	for (let back = 0; back < MAX_CHARACTER_BYTES && isContinuation(bytes[end]); back += 1) end -= 1;
	return bytes.toString("utf8", 0, end);
}

function cutEnd(text: string, maxBytes: number): string {
	if (maxBytes <= 0) return "";
	const bytes = Buffer.from(text.slice(-maxBytes).toWellFormed());
	let start = Math.max(0, bytes.length - maxBytes);
	while (isContinuation(bytes[start])) start += 1;
	// A slice may begin with half of a surrogate pair.
	return bytes.toString("utf8", start).replace(/^\ufffd/, "");
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Made with the first number: it loads 5 MB of data about languages. */
let grouping: Intl.NumberFormat | undefined;

/** `2,000`. */
export function grouped(count: number): string {
	grouping ??= new Intl.NumberFormat("en-US");
	return grouping.format(count);
}

/** `1 span`, `2,000 spans`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
	return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/** `0.4 ms`, `12 ms`, `1.23 s`, `2 m 3 s`. */
export function durationText(milliseconds: number): string {
	if (milliseconds < 1) return `${Number(milliseconds.toPrecision(1))} ms`;
	if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
	if (milliseconds < 60_000) return `${Number((milliseconds / 1_000).toPrecision(3))} s`;
	const seconds = Math.round(milliseconds / 1_000);
	return `${grouped(Math.floor(seconds / 60))} m ${seconds % 60} s`;
}

/** US dollars. */
export function costText(cost: number): string {
	return `$${cost >= 0.01 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}
