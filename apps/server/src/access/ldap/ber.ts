/** What was received is not the BER of RFC 4511, 5.1. */
export class BerError extends Error {
	override readonly name = "BerError";
}

export interface Element {
	readonly tag: number;
	readonly content: Buffer;
	/** Where the next one begins. */
	readonly end: number;
}

export const TAG = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;

const MAX_LENGTH_BYTES = 4;

interface Header {
	readonly tag: number;
	readonly start: number;
	readonly end: number;
}

/** Where the element that begins at `offset` has its content; undefined while that is not known. @throws BerError */
export function readHeader(bytes: Buffer, offset = 0): Header | undefined {
	const tag = bytes[offset];
	const first = bytes[offset + 1];
	if (tag === undefined || first === undefined) return undefined;
	if ((tag & 0x1f) === 0x1f) throw new BerError("a tag of several bytes");
	const start = offset + 2;
	if (first < 0x80) return { tag, start, end: start + first };
	const size = first & 0x7f;
	if (size === 0 || size > MAX_LENGTH_BYTES) throw new BerError("a length that LDAP does not have");
	if (bytes.length < start + size) return undefined;
	return { tag, start: start + size, end: start + size + bytes.readUIntBE(start, size) };
}

/** The element that begins at `offset`; undefined while a part of it is missing. @throws BerError */
export function readElement(bytes: Buffer, offset = 0): Element | undefined {
	const header = readHeader(bytes, offset);
	if (header === undefined || header.end > bytes.length) return undefined;
	return { tag: header.tag, content: bytes.subarray(header.start, header.end), end: header.end };
}

/** The elements that fill `content`. @throws BerError when they do not, or one has another tag than `tag` */
export function readElements(content: Buffer, tag?: number): Element[] {
	const found: Element[] = [];
	for (let offset = 0; offset < content.length; ) {
		const element = readElement(content, offset);
		if (element === undefined) throw new BerError("an element is longer than what it is in");
		if (tag !== undefined && element.tag !== tag) throw new BerError("another element than expected");
		found.push(element);
		offset = element.end;
	}
	return found;
}

/** @throws BerError unless it is there and has this tag */
export function expectElement(element: Element | undefined, tag: number): Buffer {
	if (element?.tag !== tag) throw new BerError("another element than expected");
	return element.content;
}

/** @throws BerError unless it is an integer of at most four bytes */
export function expectInteger(element: Element | undefined, tag: number = TAG.integer): number {
	const content = expectElement(element, tag);
	if (content.length === 0 || content.length > 4) throw new BerError("an integer that LDAP does not have");
	return content.readIntBE(0, content.length);
}
