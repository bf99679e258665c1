import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pairedInterval } from "./paired-interval.ts";
import { studentT95 } from "./student-t.ts";

/** What scipy computes: make-scipy-values.py has written it. */
const scipy: {
	readonly student_t95: readonly { readonly degrees: number; readonly value: number }[];
	readonly paired: readonly {
		readonly name: string;
		readonly before: readonly number[];
		readonly now: readonly number[];
		readonly low: number;
		readonly high: number;
	}[];
} = JSON.parse(readFileSync(join(import.meta.dirname, "scipy-values.json"), "utf8"));

test.each(scipy.student_t95)("E78 Student's t with $degrees degrees of freedom is scipy's", ({ degrees, value }) => {
	expect(Math.abs(studentT95(degrees) / value - 1)).toBeLessThan(1e-9);
});

test.each(scipy.paired)("E78 the paired interval of $name is scipy's", ({ before, now, low, high }) => {
	const differences = now.map((value, index) => value - (before[index] ?? Number.NaN));
	const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
	const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
	const [from = Number.NaN, to = Number.NaN] = pairedInterval({ mean, count: differences.length, squares }) ?? [];
	expect(Math.abs(from - low)).toBeLessThan(1e-9);
	expect(Math.abs(to - high)).toBeLessThan(1e-9);
});

test("one pair has no interval", () => {
	expect(pairedInterval({ mean: 1, count: 1, squares: 0 })).toBeUndefined();
});
