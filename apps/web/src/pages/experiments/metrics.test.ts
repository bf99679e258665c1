import { expect, test } from "vitest";
import { errorOf, formatDelta, formatScore, metricNames } from "./metrics.ts";

test.each([
	[0, "0"],
	[1, "1"],
	[0.5, "0.5"],
	[0.8749, "0.875"],
	[0.6, "0.6"],
	[12.34, "12.3"],
	[1234.5, "1235"],
	[0.00004, "0.000040"],
	[-0.25, "-0.25"],
	[null, "–"],
])("%s is written %s", (value, text) => {
	expect(formatScore(value)).toBe(text);
});

test("a change has its sign", () => {
	expect([0.25, -0.5, 0].map(formatDelta)).toEqual(["+0.25", "−0.5", "0"]);
});

test("the metrics of most experiments come first", () => {
	const score = { mean: 1, count: 1, standard_error: null };
	expect(metricNames([{ scores: { b: score } }, { scores: { a: score, b: score } }, { scores: { c: score } }])).toEqual(
		["b", "a", "c"],
	);
});

test("the error of a mean of few is not shown", () => {
	expect(errorOf({ mean: 0.5, count: 9, standard_error: 0.1 })).toBeNull();
	expect(errorOf({ mean: 0.5, count: 10, standard_error: 0.1 })).toBe(0.1);
	expect(errorOf(undefined)).toBeNull();
});
