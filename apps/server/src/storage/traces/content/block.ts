import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { signatureOf } from "../text/text-signature.ts";

/**
 * Blocks: the content of spans that were written together, as a compressed `ExportTraceServiceRequest`. What spans
 * share (resource, scope, keys) is stored once, and any OTLP tool can read a block.
 * Source: opentelemetry-proto `collector/trace/v1/trace_service.proto`, `trace/v1/trace.proto`.
 */

/** A message that several spans share, with its schema URL. */
interface Shared {
	readonly bytes: Uint8Array;
	readonly schemaUrl: string;
}

export interface BlockSpan {
	/** `Span` message. */
	readonly bytes: Uint8Array;
	readonly scope: Shared;
	readonly resource: Shared;
}

// Field number << 3 | wire type 2 (length-delimited).
const FIRST = 0x0a;
const SECOND = 0x12;
const THIRD = 0x1a;

/**
 * A block ends after this many bytes (of `Span` messages) or spans, since reading one span decompresses its whole
 * block: 0.2 ms. At this level, 2 KB spans take 348 bytes each with 64 in a block, 322 with 128 and 301 with 256; with
 * 8, half as much again. With 128, level 1 takes 332 in four fifths of the time, level 5 307 in more than twice the time.
 */
export const LARGEST_BLOCK = { bytes: 262_144, spans: 128 } as const;
const COMPRESSION_LEVEL = 3;

export interface Block<Span> {
	/** In the order of their ordinals. */
	readonly spans: readonly Span[];
	/** The same spans, as they were given. */
	readonly given: readonly Span[];
	readonly data: Uint8Array;
	/** Of the texts of its spans, where blocks are written with one. */
	readonly signature?: Uint8Array;
}

export interface PackOptions<Span> {
	/** Whether blocks get signatures. */
	readonly signed?: boolean;
	/** Spans that begin their block, as they are often read without the others. */
	readonly first?: (span: Span) => boolean;
}

/** Packs spans into blocks, in order; neighbours share a block. */
export function packBlocks<Span extends BlockSpan>(
	spans: readonly Span[],
	options: PackOptions<Span> = {},
): Block<Span>[] {
	const blocks: Block<Span>[] = [];
	let part: Span[] = [];
	let bytes = 0;
	for (const span of spans) {
		if (part.length > 0 && (part.length >= LARGEST_BLOCK.spans || bytes + span.bytes.length > LARGEST_BLOCK.bytes)) {
			blocks.push(packBlock(part, options));
			part = [];
			bytes = 0;
		}
		part.push(span);
		bytes += span.bytes.length;
	}
	if (part.length > 0) blocks.push(packBlock(part, options));
	return blocks;
}

function packBlock<Span extends BlockSpan>(
	given: readonly Span[],
	{ signed = false, first }: PackOptions<Span>,
): Block<Span> {
	const spans =
		first === undefined ? given : [...given.filter((span) => first(span)), ...given.filter((span) => !first(span))];
	const resources = groupByShared(spans, (span) => span.resource);
	const ordered: Span[] = [];
	const request = new MessageWriter();
	for (const { shared: resource, members } of resources) {
		const scopes = groupByShared(members, (span) => span.scope);
		request.open(FIRST, resourceSpansLength(resource, scopes));
		request.optional(FIRST, resource.bytes);
		for (const { shared: scope, members: scopeSpans } of scopes) {
			request.open(SECOND, scopeSpansLength(scope, scopeSpans));
			request.optional(FIRST, scope.bytes);
			for (const span of scopeSpans) {
				request.bytes(SECOND, span.bytes);
				ordered.push(span);
			}
			request.optional(THIRD, Buffer.from(scope.schemaUrl));
		}
		request.optional(THIRD, Buffer.from(resource.schemaUrl));
	}
	const data = compress(request.finish());
	return { spans: ordered, given, data, ...(signed && { signature: signatureOf({ spans }) }) };
}

interface Group<Span> {
	readonly shared: Shared;
	readonly members: Span[];
}

function groupByShared<Span>(spans: readonly Span[], sharedOf: (span: Span) => Shared): Group<Span>[] {
	const groups: Group<Span>[] = [];
	let last: Group<Span> | undefined;
	for (const span of spans) {
		const shared = sharedOf(span);
		if (last === undefined || !sameShared(last.shared, shared)) {
			last = groups.find((group) => sameShared(group.shared, shared));
			if (last === undefined) {
				last = { shared, members: [] };
				groups.push(last);
			}
		}
		last.members.push(span);
	}
	return groups;
}

function sameShared(a: Shared, b: Shared): boolean {
	if (a === b) return true;
	return a.schemaUrl === b.schemaUrl && a.bytes.length === b.bytes.length && Buffer.compare(a.bytes, b.bytes) === 0;
}

function resourceSpansLength(resource: Shared, scopes: readonly Group<BlockSpan>[]): number {
	let length = optionalLength(resource.bytes.length) + optionalLength(Buffer.byteLength(resource.schemaUrl));
	for (const { shared, members } of scopes) length += fieldLength(scopeSpansLength(shared, members));
	return length;
}

function scopeSpansLength(scope: Shared, spans: readonly BlockSpan[]): number {
	let length = optionalLength(scope.bytes.length) + optionalLength(Buffer.byteLength(scope.schemaUrl));
	for (const span of spans) length += fieldLength(span.bytes.length);
	return length;
}

function fieldLength(payload: number): number {
	return 1 + varintLength(payload) + payload;
}

function optionalLength(payload: number): number {
	return payload === 0 ? 0 : fieldLength(payload);
}

function varintLength(value: number): number {
	let length = 1;
	for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length += 1;
	return length;
}

/** One buffer per thread for all blocks: each is compressed before the next one begins. */
let scratch = Buffer.allocUnsafeSlow(2 * LARGEST_BLOCK.bytes);

class MessageWriter {
	#length = 0;

	open(tag: number, length: number): void {
		this.#reserve(1 + varintLength(length));
		scratch[this.#length++] = tag;
		let rest = length;
		while (rest >= 0x80) {
			scratch[this.#length++] = (rest % 128) | 0x80;
			rest = Math.floor(rest / 128);
		}
		scratch[this.#length++] = rest;
	}

	bytes(tag: number, payload: Uint8Array): void {
		this.open(tag, payload.length);
		this.#reserve(payload.length);
		scratch.set(payload, this.#length);
		this.#length += payload.length;
	}

	optional(tag: number, payload: Uint8Array): void {
		if (payload.length > 0) this.bytes(tag, payload);
	}

	/** A view that is valid until the next block is packed. */
	finish(): Uint8Array {
		return scratch.subarray(0, this.#length);
	}

	#reserve(more: number): void {
		if (this.#length + more <= scratch.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratch.length, this.#length + more));
		scratch.copy(larger, 0, 0, this.#length);
		scratch = larger;
	}
}

export function compress(bytes: Uint8Array): Uint8Array {
	return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } });
}

/** Larger results are put together from pieces of this size, also because a damaged frame may name any size. */
const LARGEST_PIECE = 16_777_216;

/** In one piece where the frame tells its size: Node's pieces of 16 KiB take half as long again. */
export function decompress(data: Uint8Array): Buffer {
	const size = contentSize(data);
	// A piece that is full makes Node look for a further one.
	return zstdDecompressSync(data, size === undefined ? {} : { chunkSize: Math.min(size + 64, LARGEST_PIECE) });
}

/**
 * The size of the content that the frame's header tells, as written by `compress`; undefined for any other.
 * Source: RFC 8878, 3.1.1.1.
 */
function contentSize(frame: Uint8Array): number | undefined {
	const header = new DataView(frame.buffer, frame.byteOffset, frame.length);
	if (frame.length < 9) return undefined;
	const descriptor = header.getUint8(4);
	const hasDictionary = (descriptor & 3) !== 0;
	if (hasDictionary) return undefined;
	const isSingleSegment = (descriptor & 0x20) !== 0;
	const at = isSingleSegment ? 5 : 6;
	switch (descriptor >>> 6) {
		case 1:
			return header.getUint16(at, true) + 256;
		case 2:
			return frame.length < at + 4 ? undefined : header.getUint32(at, true);
		default:
			return undefined;
	}
}

/** Content that a frame's first part holds at most. Source: RFC 8878, 3.1.1.2.4. */
const FIRST_PART = 131_072;

/**
 * The first part of a frame, for which the others need not be decompressed; undefined if it is the only one, or unknown.
 * Source: RFC 8878, 3.1.1.
 */
function decompressStart(data: Uint8Array): Buffer | undefined {
	const size = contentSize(data);
	if (size === undefined || size <= FIRST_PART) return undefined;
	const isSingleSegment = ((data[4] ?? 0) & 0x20) !== 0;
	// The content's size takes four bytes, as it is larger than two can tell.
	const at = (isSingleSegment ? 5 : 6) + 4;
	const header = (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16);
	const isCompressed = ((header >>> 1) & 3) === 2;
	if (!isCompressed) return undefined;
	const part = data.subarray(0, at + 3 + (header >>> 3));
	// With this flush the end of the frame is not missed.
	return zstdDecompressSync(part, { finishFlush: constants.ZSTD_e_flush, chunkSize: FIRST_PART + 64 });
}

/** The stored bytes of a block are not those that were written. */
export class DamagedBlock extends Error {
	override readonly name = "DamagedBlock";
}

/** The spans of a block, by ordinal. Their bytes are views of one buffer. @throws DamagedBlock */
export function unpackBlock(data: Uint8Array): BlockSpan[] {
	const spans: BlockSpan[] = [];
	const request = inflated(data, decompress);
	for (const resourceSpans of fieldsOf(request)) {
		if (resourceSpans.tag !== FIRST) continue;
		const fields = [...fieldsOf(resourceSpans.bytes)];
		const resource = sharedOf(fields);
		for (const field of fields) if (field.tag === SECOND) unpackScopeSpans(field.bytes, resource, spans);
	}
	return spans;
}

/**
 * The first spans of a block, by ordinal, for less than the time of unpacking all; their schema URLs are left out.
 * Undefined where all have to be unpacked. @throws DamagedBlock
 */
export function unpackFirst(data: Uint8Array): BlockSpan[] | undefined {
	const start = inflated(data, decompressStart);
	if (start === undefined) return undefined;
	const spans: BlockSpan[] = [];
	for (const resourceSpans of fieldsOf(start, true)) {
		if (resourceSpans.tag !== FIRST) continue;
		const fields = [...fieldsOf(resourceSpans.bytes, true)];
		const resource = sharedOf(fields);
		for (const field of fields) if (field.tag === SECOND) unpackScopeSpans(field.bytes, resource, spans, true);
	}
	return spans;
}

function inflated<Content>(data: Uint8Array, inflate: (data: Uint8Array) => Content): Content {
	try {
		return inflate(data);
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		throw new DamagedBlock(`it cannot be decompressed (${error.message})`, { cause: error });
	}
}

function unpackScopeSpans(bytes: Uint8Array, resource: Shared, into: BlockSpan[], isPart = false): void {
	const fields = [...fieldsOf(bytes, isPart)];
	const scope = sharedOf(fields);
	for (const { tag, bytes: span, isCut } of fields)
		if (tag === SECOND && !isCut) into.push({ bytes: span, scope, resource });
}

interface Field {
	readonly tag: number;
	readonly bytes: Uint8Array;
	/** Whether its end is missing. */
	readonly isCut?: boolean;
}

function sharedOf(fields: readonly Field[]): Shared {
	const bytes = fields.find((field) => field.tag === FIRST)?.bytes ?? new Uint8Array(0);
	const schemaUrl = fields.find((field) => field.tag === THIRD)?.bytes;
	return { bytes, schemaUrl: schemaUrl === undefined ? "" : Buffer.from(schemaUrl).toString("utf8") };
}

/**
 * The length-delimited fields of an envelope message written by `packBlock`.
 * @param isPart whether the end of the message may be missing
 */
function* fieldsOf(message: Uint8Array, isPart = false): Generator<Field> {
	let position = 0;
	while (position < message.length) {
		const tag = message[position++] ?? 0;
		let length = 0;
		let scale = 1;
		for (;;) {
			const byte = message[position++];
			if (byte === undefined && isPart) return;
			if (byte === undefined) throw new DamagedBlock("it ends inside a length");
			length += (byte & 0x7f) * scale;
			if (byte < 0x80) break;
			scale *= 128;
		}
		const isCut = position + length > message.length;
		if (isCut && !isPart) throw new DamagedBlock("it ends early");
		yield { tag, bytes: message.subarray(position, position + length), isCut };
		position += length;
	}
}
