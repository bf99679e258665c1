import { expect, test } from "vitest";
import { formatJson, parseJson, parseJsonContainer } from "./json-value.ts";

test("keeps every digit of a 64-bit integer, there and back", () => {
	const text = '{"id":9223372036854775807,"small":12,"float":1.5,"array":[-9007199254740993]}';
	expect(parseJson(text)).toEqual({ id: 9223372036854775807n, small: 12, float: 1.5, array: [-9007199254740993n] });
	expect(formatJson(parseJson(text), 0)).toBe(text);
});

test("leaves long decimals and exponents to the double", () => {
	expect(parseJson("[0.12345678901234567890, 1e21]")).toEqual([0.12345678901234568, 1e21]);
});

test.each(["plain", "12", '"text"', "{broken", "", "null"])("sees no JSON in %j", (text) => {
	expect(parseJsonContainer(text)).toBeUndefined();
});

test("sees an object behind white space", () => {
	expect(parseJsonContainer('\n {"a": [1]}')).toEqual({ a: [1] });
});
