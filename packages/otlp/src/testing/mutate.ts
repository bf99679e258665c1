import type { RandomMessages } from "./random-message.ts";

/** Bytes with a meaning in the wire format: tags, ends of groups, long varints. */
const TELLING = [0x00, 0x01, 0x07, 0x0a, 0x0b, 0x0c, 0x12, 0x13, 0x14, 0x1a, 0x4a, 0x7f, 0x80, 0xff];

/** The same bytes with one to four faults. */
export function mutate(bytes: Uint8Array, random: RandomMessages): Uint8Array {
	let mutated = Buffer.from(bytes);
	for (let faults = 1 + random.below(4); faults > 0; faults--) {
		const at = random.below(mutated.length + 1);
		const size = random.below(12);
		switch (random.below(5)) {
			case 0:
				mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + size)]);
				break;
			case 1:
				mutated = Buffer.concat([mutated.subarray(0, at), random.bytes(size), mutated.subarray(at)]);
				break;
			case 2:
				mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(Math.max(0, at - size))]);
				break;
			default:
				if (at < mutated.length) mutated[at] = random.chance(70) ? random.pick(TELLING) : random.below(256);
		}
	}
	if (random.chance(10)) mutated = mutated.subarray(0, random.below(mutated.length + 1));
	return new Uint8Array(mutated);
}
