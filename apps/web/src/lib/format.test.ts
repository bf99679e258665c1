import { expect, test } from "vitest";
import { formatBytes, formatCompact, formatCost, formatDuration, formatInteger, formatPercent } from "./format.ts";

test.each([
	[null, "–"],
	[Number.NaN, "–"],
	[0, "0 ms"],
	[0.0004, "<1 µs"],
	[0.9996, "1 ms"],
	[0.0421, "42.1 µs"],
	[3.1444, "3.14 ms"],
	[840, "840 ms"],
	[999.6, "1.00 s"],
	[1240, "1.24 s"],
	[12_345, "12.3 s"],
	[59_996, "1 m 00 s"],
	[125_000, "2 m 05 s"],
	[3_725_000, "1 h 02 m"],
	[90_000_000, "1 d 01 h"],
	[-20, "-20 ms"],
])("a duration of %s ms reads %s", (ms, text) => {
	expect(formatDuration(ms)).toBe(text);
});

test.each([
	[undefined, "–"],
	[0, "0"],
	[999, "999"],
	[999.6, "1k"],
	[12_345, "12.3k"],
	[999_600, "1M"],
	[4_560_000, "4.56M"],
])("%s reads %s in short", (value, text) => {
	expect(formatCompact(value)).toBe(text);
});

test.each([
	[null, "–"],
	[0, "$0"],
	[0.000_000_4, "<$0.000001"],
	[0.000_014, "$0.000014"],
	[0.0042, "$0.0042"],
	[0.01, "$0.01"],
	[0.1, "$0.10"],
	[0.999, "$1.00"],
	[1.234, "$1.23"],
	[1204.4, "$1,204"],
])("a cost of %s reads %s", (dollars, text) => {
	expect(formatCost(dollars)).toBe(text);
});

test("formats shares, sizes and counts", () => {
	expect([0, 0.0004, 0.044, 0.123, 1].map(formatPercent)).toEqual(["0 %", "<0.1 %", "4.4 %", "12 %", "100 %"]);
	expect([0, 999, 48_200, 1_500_000].map(formatBytes)).toEqual(["0 B", "999 B", "48.2 KB", "1.5 MB"]);
	expect(formatInteger(1_234_567)).toBe("1,234,567");
});
