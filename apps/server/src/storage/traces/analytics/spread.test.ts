import { expect, test } from "vitest";
import { randomFrom } from "../conformance/random-spans.ts";
import { Spread } from "./spread.ts";

const ALL = () => true;

test.each(["linear", "log"] as const)(
	"on a %s scale each number is counted between the bounds that are told",
	(scale) => {
		const random = randomFrom(3);
		const shapes: (() => number)[] = [
			() => random(),
			() => 10 ** (random() * 12 - 6),
			() => Math.round(random() * 20 - 10),
			() => (random() < 0.5 ? 0 : 1e6 * random()),
			() => -random(),
		];
		for (const shape of shapes)
			for (const bins of [5, 40, 100]) {
				const spread = new Spread(scale, 2);
				const columns = [0, 1].map(() => Array.from({ length: 2_000 }, shape));
				for (const [column, numbers] of columns.entries()) for (const number of numbers) spread.add(column, number);
				const found = spread.numbers({ bins }, ALL);
				expect(found.bins.length).toBeLessThanOrEqual(bins);
				const last = found.bins.length - 1;
				const expected = columns.map((numbers) =>
					found.bins.map(
						({ start, end }, index) =>
							numbers.filter((number) => number >= start && (number < end || (index === last && number === end)))
								.length,
					),
				);
				expect(found.values).toEqual(expected);
				expect(found.totals).toEqual(
					found.bins.map((_bin, index) => (expected[0]?.[index] ?? 0) + (expected[1]?.[index] ?? 0)),
				);
			}
	},
);

test("the order in which numbers come changes nothing, one number is a bin, and no number none", () => {
	const numbers = [1e9, 3, 0.25, 7, 7, 1e-9, 12_345];
	const bins = [numbers, numbers.toReversed()].map((order) => {
		const spread = new Spread("linear", 1);
		for (const number of order) spread.add(0, number);
		return spread.numbers({ bins: 10 }, ALL);
	});
	expect(bins[0]).toEqual(bins[1]);
	const one = new Spread("log", 1);
	one.add(0, 5);
	expect(one.numbers({ bins: 10 }, ALL)).toEqual({ bins: [{ start: 5, end: 5 }], totals: [1], values: [[1]] });
	expect(new Spread("log", 1).numbers({ bins: 10 }, () => false)).toEqual({ bins: [], totals: [], values: [null] });
});
