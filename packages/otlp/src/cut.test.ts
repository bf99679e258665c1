import { expect, test } from "vitest";
import { cutSpan } from "./cut.ts";
import { decodeSpan } from "./decode.ts";
import { encodeSpan } from "./encode.ts";
import type { AnyValue, KeyValue, Span } from "./model.ts";
import { toPlainMap } from "./plain.ts";

const LIMITS = { attributesPerSpan: 1_000, attributeBytes: 6, depth: 64 };
const text = (value: string): AnyValue => ({ type: "string", value });

function spanOf(attributes: readonly KeyValue[]): Span {
	return { ...decodeSpan(new Uint8Array(0)), attributes };
}

function cut(value: AnyValue) {
	return Object.fromEntries(toPlainMap(cutSpan(spanOf([{ key: "a", value }]), LIMITS).attributes));
}

test.each([
	["123456", "123456"],
	["1234567", "123456"],
	["12345é", "12345"],
	["1234é7", "1234é"],
	["12🚲", "12🚲"],
	["123🚲", "123"],
	["🚲🚲", "🚲"],
	["東京都", "東京"],
])("%s ends at a character", (value, expected) => {
	expect(cut(text(value))["a"]).toBe(expected);
});

test("bytes, and values in lists and maps, are cut", () => {
	expect(cut({ type: "bytes", value: Buffer.from("1234567") })["a"]).toEqual(Buffer.from("123456"));
	expect(cut({ type: "array", value: [text("1"), text("1234567")] })).toEqual({
		a: ["1", "123456"],
		"spanward.cut": ["a"],
	});
	expect(cut({ type: "kvlist", value: [{ key: "k", value: text("1234567") }] })).toEqual({
		a: { k: "123456" },
		"spanward.cut": ["a"],
	});
});

test("a span within the limits is as it was", () => {
	const span = spanOf([{ key: "a", value: text("123456") }]);
	expect(cutSpan(span, LIMITS)).toEqual(span);
});

test("lists at most 100 keys, each once", () => {
	const attributes = Array.from({ length: 300 }, (_, index) => ({ key: `k${index % 150}`, value: text("1234567") }));
	const named = toPlainMap(cutSpan(spanOf(attributes), LIMITS).attributes).get("spanward.cut");
	expect(named).toEqual(Array.from({ length: 100 }, (_, index) => `k${index}`));
});

test("a cut span can be encoded and decoded", () => {
	const span = cutSpan(spanOf([{ key: "a", value: text("1234567") }]), LIMITS);
	expect(decodeSpan(encodeSpan(span))).toEqual(span);
});
