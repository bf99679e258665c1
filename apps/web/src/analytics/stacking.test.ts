import { expect, test } from "vitest";
import { seriesAt, stack } from "./stacking.ts";

test("each height is the sum of the values up to it, and what nobody knows has none", () => {
	const heights = stack([
		[1, null, null],
		[2, 3, null],
	]);
	expect(heights).toEqual([
		[1, 0, null],
		[3, 3, null],
	]);
});

test("a point in a stack belongs to the part that it is in, and above it to the top", () => {
	expect(seriesAt([2, 5, 9], 4, true)).toBe(1);
	expect(seriesAt([2, 5, 9], 12, true)).toBe(2);
});

test("a point beside lines belongs to the nearest that has a value there", () => {
	expect(seriesAt([2, null, 9], 6, false)).toBe(2);
	expect(seriesAt([null, null], 6, false)).toBeUndefined();
});
