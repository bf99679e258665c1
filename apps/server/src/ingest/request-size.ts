/**
 * Bounds on how much a request holds, checked before anything is made of it: an empty message takes two bytes on the
 * wire and some hundred in memory, so a small compressed request could otherwise fill the memory.
 */

/** Spans or log records, scopes and resources of one request. Exporters send some hundred, collectors some thousand. */
const MOST_MESSAGES = 100_000;
/** Values, members and items of one JSON request; a span has about a hundred. */
const MOST_JSON_TOKENS = 2_000_000;
/** Too small to hold many tokens. */
const HARMLESS_JSON_BYTES = 1_048_576;

export class RequestTooDetailed extends Error {
	override readonly name = "RequestTooDetailed";
}

const LENGTH_DELIMITED = 2;
/** ResourceSpans in the request, ScopeSpans in those, Span in those; log requests have the same field numbers. */
const TAGS = [(1 << 3) | LENGTH_DELIMITED, (2 << 3) | LENGTH_DELIMITED, (2 << 3) | LENGTH_DELIMITED];

/**
 * Counts the messages of an export request down to its spans, without looking into those. Malformed bytes end the
 * count: the scan says what is wrong with them.
 * @throws RequestTooDetailed
 */
export function checkMessageCount(bytes: Uint8Array): void {
	let at = 0;
	let count = 0;

	function varint(): number {
		let value = 0;
		for (let shift = 0; shift < 35; shift += 7) {
			const byte = bytes[at++] ?? 0;
			value += (byte & 0x7f) * 2 ** shift;
			if (byte < 0x80) return value;
		}
		// The rest of a 64-bit number does not matter: only tags and lengths are used.
		while ((bytes[at++] ?? 0) >= 0x80);
		return value;
	}

	function walk(end: number, level: number): void {
		while (at < end) {
			const tag = varint();
			switch (tag & 7) {
				case 0:
					varint();
					break;
				case 1:
					at += 8;
					break;
				case 5:
					at += 4;
					break;
				case LENGTH_DELIMITED: {
					const stop = varint() + at;
					if (stop > end) {
						at = bytes.byteLength;
						return;
					}
					if (tag === TAGS[level]) {
						count += 1;
						if (count > MOST_MESSAGES) {
							throw new RequestTooDetailed(
								`The request holds more than ${MOST_MESSAGES} spans, scopes and resources; send smaller batches.`,
							);
						}
						if (level < 2) walk(stop, level + 1);
					}
					at = stop;
					break;
				}
				// The start or end of a group (3, 4): what lies in it is passed over field by field.
			}
		}
	}

	walk(bytes.byteLength, 0);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Counts what a JSON text has outside of its strings.
 * @throws RequestTooDetailed
 */
export function checkJsonTokens(text: Uint8Array): void {
	if (text.byteLength <= HARMLESS_JSON_BYTES) return;
	const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
	let count = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === QUOTE) at = endOfString(bytes, at + 1);
		else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) count += 1;
	}
	if (count > MOST_JSON_TOKENS) {
		throw new RequestTooDetailed(
			`The JSON holds more than ${MOST_JSON_TOKENS} values; send smaller batches, or protobuf.`,
		);
	}
}

/** The position of the quote that ends a string. */
function endOfString(bytes: Buffer, start: number): number {
	let end = bytes.indexOf(QUOTE, start);
	while (end !== -1 && isEscaped(bytes, start, end)) end = bytes.indexOf(QUOTE, end + 1);
	return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, start: number, quote: number): boolean {
	let backslashes = 0;
	while (quote - backslashes > start && bytes[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
	return backslashes % 2 === 1;
}
