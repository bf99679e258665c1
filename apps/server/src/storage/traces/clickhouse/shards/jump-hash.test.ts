import { expect, test } from "vitest";
import { jumpHash } from "./jump-hash.ts";

const KEYS = Array.from({ length: 3_000 }, (_, number) => number.toString(16).padStart(32, "0"));

test.each([2, 3, 7])("keys are spread evenly over %i shards, and the same whenever it is asked", (count) => {
	const numbers = KEYS.map((key) => jumpHash(key, count));
	expect(numbers).toEqual(KEYS.map((key) => jumpHash(key, count)));
	for (let number = 0; number < count; number += 1) {
		const share = numbers.filter((one) => one === number).length / KEYS.length;
		expect(share * count).toBeGreaterThan(0.85);
		expect(share * count).toBeLessThan(1.15);
	}
});

test("with one shard more, keys stay where they are or go to the new one", () => {
	for (const count of [1, 2, 3, 10])
		for (const key of KEYS) expect([jumpHash(key, count), count]).toContain(jumpHash(key, count + 1));
});
