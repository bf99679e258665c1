/**
 * Random numbers that a seed determines, the same on each machine: xoshiro128** 1.1, its state filled by SplitMix32.
 * Not for secrets. D. Blackman, S. Vigna (2021), Scrambled linear pseudorandom number generators, ACM Transactions on
 * Mathematical Software 47(4), 36.
 */
export class Random {
	#a: number;
	#b: number;
	#c: number;
	#d: number;

	constructor(seed: number) {
		this.#a = mix(seed, 1);
		this.#b = mix(seed, 2);
		this.#c = mix(seed, 3);
		this.#d = mix(seed, 4);
	}

	/** From 0 to less than 1, 53 bits. */
	fraction(): number {
		return ((this.#bits() >>> 5) * 2 ** 26 + (this.#bits() >>> 6)) / 2 ** 53;
	}

	/** Draws one of the places as often as there are places, and adds 1 to the count at `target[place]`. One place is
	 * likelier than another by their number / 2³² at the most. */
	countDraws(target: Uint32Array, counts: Uint32Array): void {
		const places = target.length;
		// In variables, which are several times as fast as fields.
		let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
		for (let draw = 0; draw < places; draw++) {
			const scrambled = Math.imul(b, 5);
			const bits = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
			const shifted = b << 9;
			c ^= a;
			d ^= b;
			b ^= c;
			a ^= d;
			c ^= shifted;
			d = (d << 11) | (d >>> 21);
			const drawn = target[(bits * (places / 2 ** 32)) >>> 0] ?? 0;
			counts[drawn] = (counts[drawn] ?? 0) + 1;
		}
		[this.#a, this.#b, this.#c, this.#d] = [a, b, c, d];
	}

	/** An integer from 0 to 2³² − 1. */
	#bits(): number {
		const scrambled = Math.imul(this.#b, 5);
		const shifted = this.#b << 9;
		this.#c ^= this.#a;
		this.#d ^= this.#b;
		this.#b ^= this.#c;
		this.#a ^= this.#d;
		this.#c ^= shifted;
		this.#d = (this.#d << 11) | (this.#d >>> 21);
		return Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
	}
}

/** The `place`th number of SplitMix32 from `seed`: a bijection of the state, so that four of them are never all 0. */
function mix(seed: number, place: number): number {
	let bits = (seed + Math.imul(place, 0x9e3779b9)) | 0;
	bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
	bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
	return bits ^ (bits >>> 16);
}
