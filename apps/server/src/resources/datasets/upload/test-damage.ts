/** The same numbers each time (mulberry32). */
export function numbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** Cut off, with a piece twice, or with some bytes changed. */
export function damaged(bytes: Buffer, seed: number): Buffer {
	const next = numbers(seed);
	const at = next(bytes.length);
	if (seed % 4 === 0) return bytes.subarray(0, at);
	if (seed % 4 === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(next(bytes.length))]);
	const copy = Buffer.from(bytes);
	for (let change = 0; change <= seed % 5; change += 1) copy[next(copy.length)] = next(256);
	return copy;
}
