import { hash } from "node:crypto";

const MULTIPLIER = 2_862_933_555_777_941_757n;

/**
 * A number from 0 on, below `count`, for a key: all are about equally frequent. With one more, a key keeps its number or
 * gets the new one. Lamping and Veach, A Fast, Minimal Memory, Consistent Hash Algorithm: https://arxiv.org/abs/1406.2294
 */
export function jumpHash(key: string, count: number): number {
	if (count === 1) return 0;
	let state = hash("sha1", key, "buffer").readBigUInt64BE();
	let number = 0;
	for (let next = 0; next < count; ) {
		number = next;
		state = BigInt.asUintN(64, state * MULTIPLIER + 1n);
		next = Math.floor((number + 1) * (2 ** 31 / (Number(state >> 33n) + 1)));
	}
	return number;
}
