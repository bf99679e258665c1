import { BitSlices } from "./bit-slices.ts";

/**
 * Groups of signatures of one size, which are stored as slices (`bit-slices.ts`) with the list of their blocks: member
 * `n` of a group is of block `n` of the list.
 */

/** Signatures in a group: a search reads 512 bytes for each of its letter groups. */
export const GROUP_SIZE = 4_096;
/** Bytes of a group, which is made in memory. */
const GROUP_BYTES = 8_388_608;
/** A group is dissolved when fewer of its blocks exist. */
export const LEAST_SHARE = 0.5;

/** How many signatures of this size, in bytes, make a group. */
export function membersOf(size: number, groupSize = GROUP_SIZE): number {
	return Math.min(groupSize, GROUP_BYTES / size);
}

/** A list of blocks, as 64-bit numbers. */
export function numbersOfBlocks(blocks: readonly number[]): Uint8Array {
	return new Uint8Array(BigInt64Array.from(blocks, BigInt).buffer);
}

/** The blocks of a group, in the order of its bits. */
export function blocksOfGroup(numbers: Uint8Array): number[] {
	const buffer = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
	return Array.from({ length: buffer.length / 8 }, (_, index) => Number(buffer.readBigInt64LE(8 * index)));
}

/**
 * The signatures of a group, by member.
 * @param slices all of them, in order
 * @param size of a signature, in bytes
 */
export function signaturesOfGroup(slices: readonly Uint8Array[], size: number): BitSlices {
	const signatures = new BitSlices(slices[0]?.length ?? 0, 8 * size);
	for (let first = 0; first < slices.length; first += 8) signatures.turn(first, slices.slice(first, first + 8));
	return signatures;
}
