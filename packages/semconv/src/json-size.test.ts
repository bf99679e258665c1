import { expect, test } from "vitest";
import { jsonExcess, measureJson } from "./json-size.ts";

const LIMITS = { values: 100, valuesWithLongIntegers: 10, names: 20, depth: 5 };

function names(count: number, name = (index: number) => `name-${index}`): string {
	return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index])));
}

test.each<[string, string, ReturnType<typeof jsonExcess>]>([
	["as many values as it may", `[${"1,".repeat(98)}1]`, undefined],
	["one value more", `[${"1,".repeat(100)}1]`, "values"],
	["values in strings, which are none", JSON.stringify(`[${"1,".repeat(200)}1]`), undefined],
	["as many names as it may", names(20), undefined],
	["one name more", names(21), "names"],
	["one name often", `[${Array.from({ length: 40 }, () => '{"a" : 1}').join()}]`, undefined],
	["names that end in escapes", names(21, (index) => `${index}\\"`), "names"],
	["strings that are no names", JSON.stringify(Array.from({ length: 50 }, (_, index) => `n${index}`)), undefined],
	["as deep as it may", `${"[".repeat(5)}${"]".repeat(5)}`, undefined],
	["a level deeper", `${"[".repeat(6)}${"]".repeat(6)}`, "depth"],
	["depth beside depth", `[${"[[[]]],".repeat(9)}[]]`, undefined],
	["long integers among few values", "[9007199254740993]", undefined],
	["long integers among many", `[${"1,".repeat(20)}9007199254740993]`, "valuesWithLongIntegers"],
	["digits behind a point", `[${"1,".repeat(20)}0.9007199254740993]`, undefined],
	["digits in strings", `[${"1,".repeat(20)}"9007199254740993"]`, undefined],
	["a string without an end", '{"a":"', undefined],
	["nothing", "", undefined],
])("%s", (_name, text, excess) => {
	expect(jsonExcess(text, LIMITS)).toBe(excess);
});

test.each([
	["a number", '{"a":[1, 9007199254740993]}', true],
	["a negative number at the end", "-9007199254740993", true],
	["a text", '{"a":"at 9007199254740993, later","9007199254740993":1}', false],
	["a fraction", "[1.9007199254740993]", false],
	["fifteen digits", "[100000000000000]", false],
])("knows the digits of %s from those that need no care", (_name, text, hasLongInteger) => {
	expect(measureJson(text, LIMITS)).toEqual({ excess: undefined, hasLongInteger });
});

test("counts names that differ in one place of many alike, within a hundredth", () => {
	const limits = { ...LIMITS, values: 1e9, names: 100_000 };
	const name = (index: number) => `${"x".repeat(50)}${index}${"y".repeat(50)}`;
	expect(jsonExcess(names(99_000, name), limits)).toBeUndefined();
	expect(jsonExcess(names(105_000, name), limits)).toBe("names");
});
