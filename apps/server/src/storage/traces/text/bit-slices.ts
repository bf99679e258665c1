/**
 * Signatures of the same size, turned around: slice i has bit i of each of them, so that a search reads the slices of
 * its letter groups instead of all signatures.
 * Source: Roberts, "Partial-match retrieval via the method of superimposed codes", 1979 (bit-sliced signature files).
 */
export class BitSlices {
	readonly #bytes: Uint8Array;
	/** Of a signature, in bytes. */
	readonly #size: number;
	/** Of a slice, in bytes. */
	readonly #length: number;

	/** @param count of signatures, a multiple of eight */
	constructor(size: number, count: number) {
		this.#size = size;
		this.#length = count / 8;
		this.#bytes = new Uint8Array(size * count);
	}

	/** All slices, one after the other. */
	get bytes(): Uint8Array {
		return this.#bytes;
	}

	/** Number of slices. */
	get count(): number {
		return 8 * this.#size;
	}

	/** Bit `n` of a slice is that of signature `n`. */
	slice(bit: number): Uint8Array {
		return this.#bytes.subarray(bit * this.#length, (bit + 1) * this.#length);
	}

	/**
	 * Turns signatures number `first` to `first + 7` around, a square of eight by eight bits at a time.
	 * Source: Warren, "Hacker's Delight", 7-3.
	 */
	turn(first: number, signatures: readonly Uint8Array[]): void {
		const [a, b, c, d, e, f, g, h] = signatures;
		if (!(a && b && c && d && e && f && g && h)) throw new Error("signatures are turned around eight at a time");
		const length = this.#length;
		for (let at = 0; at < this.#size; at++) {
			let x = ((h[at] ?? 0) << 24) | ((g[at] ?? 0) << 16) | ((f[at] ?? 0) << 8) | (e[at] ?? 0);
			let y = ((d[at] ?? 0) << 24) | ((c[at] ?? 0) << 16) | ((b[at] ?? 0) << 8) | (a[at] ?? 0);
			let t = (x ^ (x >>> 7)) & 0x00aa_00aa;
			x = x ^ t ^ (t << 7);
			t = (y ^ (y >>> 7)) & 0x00aa_00aa;
			y = y ^ t ^ (t << 7);
			t = (x ^ (x >>> 14)) & 0xcccc;
			x = x ^ t ^ (t << 14);
			t = (y ^ (y >>> 14)) & 0xcccc;
			y = y ^ t ^ (t << 14);
			const high = (x & 0xf0f0_f0f0) | ((y >>> 4) & 0x0f0f_0f0f);
			const low = ((x << 4) & 0xf0f0_f0f0) | (y & 0x0f0f_0f0f);
			let into = at * 8 * length + first / 8;
			for (const four of [low, high])
				for (let shift = 0; shift < 32; shift += 8) {
					this.#bytes[into] = four >>> shift;
					into += length;
				}
		}
	}
}

/** Whether a bit of a signature or a slice is set. */
export function hasBit(bits: Uint8Array, bit: number): boolean {
	return ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}

/** The numbers of the bits that are set in all of these slices. */
export function bitsInAll(slices: readonly Uint8Array[]): number[] {
	const [first, ...others] = slices;
	const bits: number[] = [];
	for (let at = 0; at < (first?.length ?? 0); at++) {
		let byte = first?.[at] ?? 0;
		for (const slice of others) byte &= slice[at] ?? 0;
		for (; byte !== 0; byte &= byte - 1) bits.push(8 * at + 31 - Math.clz32(byte & -byte));
	}
	return bits;
}
