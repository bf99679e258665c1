import { expect, test } from "vitest";
import { errorOf, formatDelta, formatScore, metricNames, spreadOf } from "./metrics.ts";

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

test("the spread of scores that may lie between 0 and 1 does so, too", () => {
	const score = { mean: 0.96, count: 26, standard_error: 0.0392 };
	expect(spreadOf(score)).toEqual({ low: 0.96 - 0.0392, high: 0.96 + 0.0392 });
	expect(spreadOf({ ...score, mean: 0.97, standard_error: 0.033 })?.high).toBe(1);
	expect(spreadOf({ ...score, mean: 0.02, standard_error: 0.025 })?.low).toBe(0);
	expect(spreadOf({ ...score, mean: 0.9, standard_error: 0.4 })?.high).toBeCloseTo(1.3);
	expect(spreadOf({ ...score, mean: 5, standard_error: 0.4 })).toEqual({ low: 4.6, high: 5.4 });
	expect(spreadOf({ ...score, count: 9 })).toBeNull();
});

test("the error of a mean of few is not shown", () => {
	expect(errorOf({ mean: 0.5, count: 9, standard_error: 0.1 })).toBeNull();
	expect(errorOf({ mean: 0.5, count: 10, standard_error: 0.1 })).toBe(0.1);
	expect(errorOf(undefined)).toBeNull();
});
