import { describe, expect, test } from "vitest";
import { drawBinomial } from "./binomial.ts";
import { Random } from "./random.ts";
import { makeResampler } from "./resampling.ts";

const DRAWS = 20_000;

describe("drawBinomial", () => {
	test.each([
		[1, 0.3],
		[12, 0.5],
		[19, 0.5],
		[20, 0.5],
		[21, 0.5],
		[40, 0.93],
		[1_000, 0.004],
		[1_000, 0.011],
		[100_000, 0.3],
		[100_000, 0.99],
	])("%d trials with probability %d have the binomial distribution", (trials, probability) => {
		const random = new Random(trials);
		const counts = new Uint32Array(trials + 1);
		for (let draw = 0; draw < DRAWS; draw++) {
			const successes = drawBinomial(random, trials, probability);
			counts[successes] = (counts[successes] ?? 0) + 1;
		}
		// Kolmogorov and Smirnov: exceeded once in a thousand times at the most.
		expect(largestDistance(counts, trials, probability)).toBeLessThan(1.95 / Math.sqrt(DRAWS));
	});

	test("is sure where it is sure", () => {
		const random = new Random(1);
		expect([drawBinomial(random, 0, 0.5), drawBinomial(random, 9, 0), drawBinomial(random, 9, 1)]).toEqual([0, 0, 9]);
	});
});

/** Between the distribution of what was drawn and the binomial. */
function largestDistance(counts: Uint32Array, trials: number, probability: number): number {
	let logShare = trials * Math.log1p(-probability);
	let expected = 0;
	let drawn = 0;
	let largest = 0;
	for (const [successes, count] of counts.entries()) {
		expected += Math.exp(logShare);
		drawn += count / DRAWS;
		largest = Math.max(largest, Math.abs(expected - drawn));
		logShare += Math.log(((trials - successes) / (successes + 1)) * (probability / (1 - probability)));
	}
	return largest;
}

describe("makeResampler", () => {
	// Four patterns are drawn by pattern; where many more have one item each, by item.
	test.each([
		["by pattern", Uint32Array.of(70, 40, 25, 15)],
		["by item", Uint32Array.of(70, 40, 25, 15, ...Array<number>(60).fill(1))],
	])("draws as many items as there are, %s, with the mean and variance of a multinomial variate", (_, counts) => {
		const items = counts.reduce((sum, count) => sum + count, 0);
		const { draw } = makeResampler(counts, new Random(3));
		const drawn = Array.from({ length: DRAWS }, () => Array.from(draw()));
		expect(new Set(drawn.map((weights) => weights.reduce((sum, weight) => sum + weight, 0)))).toEqual(new Set([items]));
		for (const pattern of [0, 1, 2, 3]) {
			const share = (counts[pattern] ?? 0) / items;
			const weights = drawn.map((all) => all[pattern] ?? 0);
			const mean = weights.reduce((sum, weight) => sum + weight, 0) / DRAWS;
			const variance = weights.reduce((sum, weight) => sum + (weight - mean) ** 2, 0) / DRAWS;
			const wanted = items * share * (1 - share);
			expect(Math.abs(mean - items * share)).toBeLessThan(4 * Math.sqrt(wanted / DRAWS));
			expect(Math.abs(variance / wanted - 1)).toBeLessThan(0.05);
		}
		const [first, second] = [70, 40];
		const covariance = drawn.reduce((sum, [a = 0, b = 0]) => sum + (a - first) * (b - second), 0) / DRAWS;
		const deviation = (count: number) => Math.sqrt(count * (1 - count / items));
		const standardError = (deviation(first) * deviation(second)) / Math.sqrt(DRAWS);
		expect(Math.abs(covariance + (first * second) / items)).toBeLessThan(4 * standardError);
	});
});
