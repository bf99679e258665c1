import { expect, test } from "vitest";
import type { AnyValue } from "./model.ts";
import { fromPlain, toPlain, toPlainMap } from "./plain.ts";

const text = (value: string): AnyValue => ({ type: "string", value });

test("integers are numbers while that is exact", () => {
	expect(toPlain({ type: "int", value: 2n ** 53n - 1n })).toBe(Number.MAX_SAFE_INTEGER);
	expect(toPlain({ type: "int", value: 2n ** 53n })).toBe(2n ** 53n);
	expect(toPlain({ type: "int", value: -(2n ** 63n) })).toBe(-(2n ** 63n));
});

test("a kvlist has no prototype, so __proto__ and constructor are its keys", () => {
	const plain = toPlain({
		type: "kvlist",
		value: [
			{ key: "__proto__", value: text("p") },
			{ key: "constructor", value: text("c") },
			{ key: "constructor", value: text("d") },
		],
	});
	expect(Object.entries(plain ?? {})).toEqual([
		["__proto__", "p"],
		["constructor", "d"],
	]);
});

test("a map leaves empty values out and keeps the last of a repeated key", () => {
	const attributes = [
		{ key: "a", value: text("1") },
		{ key: "b", value: { type: "empty" } as const },
		{ key: "a", value: text("2") },
		{ key: "list", value: { type: "array", value: [{ type: "empty" }, text("x")] } as const },
	];
	expect([...toPlainMap(attributes)]).toEqual([
		["a", "2"],
		["list", [null, "x"]],
	]);
});

test("plain data becomes values and comes back the same", () => {
	const plain = {
		text: "t",
		yes: true,
		whole: 5,
		half: 0.5,
		zero: -0,
		big: 2n ** 60n,
		none: null,
		bytes: Uint8Array.of(1, 2),
		list: [1, "two", [3]],
		inner: { a: 1 },
	};
	expect(toPlain(fromPlain(plain))).toEqual(plain);
});

test("whole numbers become ints, all others doubles", () => {
	expect(fromPlain(5)).toEqual({ type: "int", value: 5n });
	expect(fromPlain(1e300)).toEqual({ type: "double", value: 1e300 });
	expect(fromPlain(-0)).toEqual({ type: "double", value: -0 });
	expect(fromPlain(Number.NaN)).toEqual({ type: "double", value: Number.NaN });
	expect(fromPlain(2n ** 64n)).toEqual({ type: "double", value: 2 ** 64 });
	expect(fromPlain(null)).toEqual({ type: "empty" });
});
