import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { BitSlices, bitsInAll } from "./bit-slices.ts";

test("slices have the bits of the signatures", () => {
	const signatures = Array.from({ length: 24 }, () => randomBytes(16));
	const slices = new BitSlices(16, signatures.length);
	for (let first = 0; first < signatures.length; first += 8) slices.turn(first, signatures.slice(first, first + 8));
	expect(slices.count).toBe(128);
	for (let bit = 0; bit < 128; bit++) {
		const set = signatures.flatMap((signature, number) =>
			((signature[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0 ? [] : [number],
		);
		expect(bitsInAll([slices.slice(bit)]), `slice ${bit}`).toEqual(set);
	}
});

test("bits are found that several slices have in common", () => {
	expect(bitsInAll([Uint8Array.of(0b1011_0001, 0xff), Uint8Array.of(0b1001_0011, 0x80)])).toEqual([0, 4, 7, 15]);
	expect(bitsInAll([])).toEqual([]);
});
