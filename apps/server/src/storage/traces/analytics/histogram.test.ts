import { expect, test } from "vitest";
import { Histogram } from "./histogram.ts";

/** The number that this share of the numbers does not exceed. */
function exact(numbers: readonly number[], share: number): number {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

const SHARES = [0, 0.1, 0.5, 0.95, 1];

test.each([
	["near to each other", Array.from({ length: 500 }, (_, n) => 1_000 + ((n * 7_919) % 500))],
	["growing and shrinking", Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? 1.3 ** (n / 4) : 1.3 ** (-n / 4)))],
	["of both signs, with zeros", [-1e9, -3, -0.5, 0, 0, 0.25, 7, 1e12]],
	["as far apart as numbers are", [5e-324, 1e-300, -1e300, 1, 1e300, Number.MAX_VALUE]],
])("quantiles of numbers %s are within 4 % of the true ones, also of two histograms together", (_name, numbers) => {
	const [whole, one, other] = [new Histogram(), new Histogram(), new Histogram()];
	for (const [place, number] of numbers.entries()) {
		whole.add(number);
		(place % 3 === 0 ? one : other).add(number);
	}
	one.addAll(other);
	for (const share of SHARES) {
		const wanted = exact(numbers, share);
		const found = whole.quantile(share) ?? Number.NaN;
		// The smallest numbers have fewer digits than the bound.
		expect(Math.abs(found - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 0.04 + Number.MIN_VALUE);
		expect(one.quantile(share)).toBe(found);
	}
});

test("without numbers there is no quantile", () => {
	expect(new Histogram().quantile(0.5)).toBeNull();
});
