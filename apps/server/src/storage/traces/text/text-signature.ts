import { type VisitText, visitLogRecordTexts, visitSpanTexts } from "@spanward/otlp";
import { hasBit } from "./bit-slices.ts";

/**
 * The signature of a block: a Bloom filter of the letter groups in its texts, which tells whether a word may be in one
 * of them without decoding them. It never misses a word.
 *
 * A letter group is three or four neighbouring bytes of a text's UTF-8 in lower case. A filter has 2^n bits; a group
 * sets the bit that the first n bits of its hash name, so that a filter is halved by joining neighbouring bits with OR.
 * Source: Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970; with one hash function, as words
 * have several groups.
 */

/** The largest filter, 8 KiB, and the smallest. */
const LARGEST_BITS = 16;
const SMALLEST_BITS = 9;
/** A filter is halved while at most this share of its bits is set. A group that is not there is seen as often. */
const FULLEST = 0.3;

const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
const UNCHANGED = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** A byte for each bit, shared by all signatures of a thread: each is finished before the next one begins. */
const table = new Uint8Array(2 ** LARGEST_BITS);
const words = new Uint32Array(table.buffer);

/** The hash of the last three bytes of `group`, of 32 bits. */
function hashOfThree(group: number): number {
	return Math.imul(group & 0xff_ffff, 0x9e37_79b1);
}

/** The hash of four bytes, of 32 bits. */
function hashOfFour(group: number): number {
	return Math.imul(group, 0x85eb_ca6b);
}

/**
 * Adds the groups of a text: most of the time of a signature. All positions are within the bytes, which the casts say;
 * with `?? 0` instead it takes a quarter more.
 * @returns all bytes, joined with OR
 */
function addGroups(bytes: Uint8Array, start: number, end: number, letters: Uint8Array, shift: number): number {
	const first = bytes[start] as number;
	// No group; but in lower case one letter of two bytes may have three.
	if (end - start < 3) return end === start ? 0 : first;
	const second = bytes[start + 1] as number;
	const third = bytes[start + 2] as number;
	let seen = first | second | third;
	let group = ((letters[first] as number) << 16) | ((letters[second] as number) << 8) | (letters[third] as number);
	table[hashOfThree(group) >>> shift] = 1;
	for (let at = start + 3; at < end; at++) {
		const byte = bytes[at] as number;
		seen |= byte;
		group = (group << 8) | (letters[byte] as number);
		table[hashOfThree(group) >>> shift] = 1;
		table[hashOfFour(group) >>> shift] = 1;
	}
	return seen;
}

/** What a signature is made of: `Span` messages and `LogRecord` messages. */
export interface SignedTexts {
	readonly spans: readonly { readonly bytes: Uint8Array }[];
	readonly logs?: readonly Uint8Array[];
}

/** The signature of spans and log records: a power of two of bytes. */
export function signatureOf({ spans, logs = [] }: SignedTexts): Uint8Array {
	let length = 0;
	for (const { bytes } of spans) length += bytes.length;
	for (const bytes of logs) length += bytes.length;
	const bits = bitsFor(length);
	addTexts({ spans, logs }, bits);
	return packed(halved(2 ** bits));
}

/** The filter of these texts with so many bytes, however full: a signature of that size that has them has all its bits. */
export function filterOf(texts: SignedTexts, size: number): Uint8Array {
	addTexts(texts, Math.log2(8 * size));
	return packed(8 * size);
}

/** Begins the filter in `table` with 2^`bits` bits. */
function addTexts({ spans, logs = [] }: SignedTexts, bits: number): void {
	const shift = 32 - bits;
	table.fill(0, 0, 2 ** bits);
	const visit: VisitText = (bytes, start, end) => {
		if (addGroups(bytes, start, end, LOWER_CASE, shift) < 0x80) return;
		// Lower case of other letters depends on the letter and its neighbours, and may have another length.
		const lower = Buffer.from(
			Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
				.toString()
				.toLowerCase(),
		);
		addGroups(lower, 0, lower.length, UNCHANGED, shift);
	};
	for (const { bytes } of spans) visitSpanTexts(bytes, visit);
	for (const bytes of logs) visitLogRecordTexts(bytes, visit);
}

/**
 * The bits to begin with, for messages of so many bytes: longer texts repeat more of their letter groups, and each bit
 * takes time.
 */
function bitsFor(length: number): number {
	const bits = Math.ceil(Math.log2(length + 1)) + (length < 8_192 ? 1 : length < 65_536 ? 0 : -1);
	return Math.min(LARGEST_BITS, Math.max(SMALLEST_BITS, bits));
}

/** Halves the filter in `table` as often as it stays sparse enough. @returns its size in bits */
function halved(bits: number): number {
	let size = bits;
	let set = countSet(size);
	while (size > 2 ** SMALLEST_BITS) {
		const share = set / size;
		// The share of pairs of which a bit is set.
		if (1 - (1 - share) ** 2 > FULLEST) break;
		size /= 2;
		joinPairs(size);
		set = countSet(size);
	}
	return size;
}

/** Joins each two neighbours of `2 * size` bits. */
function joinPairs(size: number): void {
	for (let at = 0; at < size / 4; at++) {
		const low = words[2 * at] as number;
		const high = words[2 * at + 1] as number;
		const a = low | (low >>> 8);
		const b = high | (high >>> 8);
		words[at] = (a & 0xff) | ((a >>> 8) & 0xff00) | ((b & 0xff) << 16) | ((b << 8) & 0xff00_0000);
	}
}

function countSet(size: number): number {
	const count = size / 4;
	let set = 0;
	// Each byte is 0 or 1: that many words can be added up byte by byte.
	for (let from = 0; from < count; from += 255) {
		const to = Math.min(from + 255, count);
		let sums = 0;
		for (let at = from; at < to; at++) sums = (sums + (words[at] as number)) | 0;
		set += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
	}
	return set;
}

function packed(size: number): Uint8Array {
	const signature = new Uint8Array(size / 8);
	for (let at = 0; at < signature.length; at++) {
		// Multiplying moves the bits of four bytes that are 0 or 1 next to each other.
		const low = (Math.imul(words[2 * at] ?? 0, 0x0102_0408) >>> 24) & 0xf;
		const high = (Math.imul(words[2 * at + 1] ?? 0, 0x0102_0408) >>> 24) & 0xf;
		signature[at] = low | (high << 4);
	}
	return signature;
}

/** A word is looked up by at most so many letter groups; more make no difference. */
const MAX_GROUPS = 32;

/**
 * The hashes of a word's letter groups, those of four letters first; none for a word of one or two letters, which no
 * signature can rule out.
 * @param word in lower case, as by `toLowerCase`
 */
export function hashesOfWord(word: string): number[] {
	const threes: number[] = [];
	const fours: number[] = [];
	// Half of a surrogate pair has no bytes of its own, but is part of every text with such a pair.
	for (const part of word.split(/\p{Surrogate}/u)) {
		const bytes = Buffer.from(part);
		for (let at = 0; at + 3 <= bytes.length; at++) {
			threes.push(hashOfThree(bytes.readUIntBE(at, 3)));
			if (at + 4 <= bytes.length) fours.push(hashOfFour(bytes.readInt32BE(at)));
		}
	}
	return [...new Set([...fours, ...threes])].slice(0, MAX_GROUPS);
}

/** The bit of a hash in signatures of this size, in bytes. */
export function bitOf(hash: number, size: number): number {
	return hash >>> (32 - Math.log2(8 * size));
}

/** The share of bits that are set: as often a letter group is seen that is not there. */
export function fullnessOf(signature: Uint8Array): number {
	let set = 0;
	for (let byte of signature) for (; byte !== 0; byte &= byte - 1) set += 1;
	return set / (8 * signature.length);
}

/** Whether texts with this signature may contain the letter groups with these hashes. */
export function mayContain(signature: Uint8Array, hashes: readonly number[]): boolean {
	return hashes.every((hash) => hasBit(signature, bitOf(hash, signature.length)));
}

/**
 * Whether a signature has every letter group of another. Of a smaller one it can only tell that a group with the same
 * first bits is there.
 */
export function covers(signature: Uint8Array, other: Uint8Array): boolean {
	if (signature.length === other.length) return other.every((byte, at) => (byte & ~(signature[at] as number)) === 0);
	for (let bit = 0; bit < other.length * 8; bit++) {
		if (!hasBit(other, bit)) continue;
		const first = Math.floor((bit * signature.length) / other.length);
		const last = Math.max(first, Math.ceil(((bit + 1) * signature.length) / other.length) - 1);
		let found = false;
		for (let at = first; at <= last; at++) found ||= hasBit(signature, at);
		if (!found) return false;
	}
	return true;
}
