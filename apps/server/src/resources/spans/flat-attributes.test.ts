import { type AnyValue, fromPlain, type KeyValue } from "@spanward/otlp";
import { expect, test } from "vitest";
import { flattenAttributes } from "./flat-attributes.ts";

function attributes(values: Readonly<Record<string, Parameters<typeof fromPlain>[0]>>): KeyValue[] {
	return Object.entries(values).map(([key, value]) => ({ key, value: fromPlain(value) }));
}

function json(list: readonly KeyValue[]): unknown {
	return JSON.parse(JSON.stringify(flattenAttributes(list)));
}

test("objects and arrays of objects become dotted keys, arrays of scalars stay", () => {
	const list = attributes({ a: { b: { c: 1 } }, messages: [{ role: "user" }, { role: "tool" }], tags: ["x", "y"] });
	expect(json(list)).toEqual({ "a.b.c": 1, "messages.0.role": "user", "messages.1.role": "tool", tags: ["x", "y"] });
});

test("metadata and tool parameters in JSON text are flattened, other texts stay", () => {
	const list = attributes({
		metadata: '{"team":{"name":"a"},"n":9007199254740993}',
		"retrieval.documents.0.document.metadata": "not json",
		"input.value": '{"q":1}',
		"llm.prompt_template.variables": "null",
	});
	expect(JSON.stringify(flattenAttributes(list))).toBe(
		'{"metadata.team.name":"a","metadata.n":9007199254740993,"retrieval.documents.0.document.metadata":"not json","input.value":"{\\"q\\":1}"}',
	);
});

test("empty values are dropped, and the last of repeated keys counts", () => {
	const empty: AnyValue = { type: "empty" };
	expect(json([{ key: "a", value: empty }, ...attributes({ b: 1 }), ...attributes({ b: 2 })])).toEqual({ b: 2 });
});

test("__proto__ and constructor are keys like any other", () => {
	const flat = flattenAttributes(attributes(JSON.parse('{"__proto__":{"x":1},"constructor":"y","a":1,"a.b":2}')));
	expect(JSON.stringify(flat)).toBe('{"__proto__.x":1,"constructor":"y","a":1,"a.b":2}');
	expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test("a JSON text that nests without end stays a text", () => {
	const deep = "[".repeat(100_000) + "]".repeat(100_000);
	expect(json(attributes({ metadata: deep }))).toEqual({ metadata: deep });
});

test("a JSON text of more than can be read at once stays a text", () => {
	const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, 1])));
	expect(json(attributes({ metadata: wide }))).toEqual({ metadata: wide });
});

test("a value whose dotted keys would repeat a long name very often is not flattened", () => {
	const name = "n".repeat(1_000_000);
	const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`, index]));
	const flat = flattenAttributes(
		attributes({ a: { [name]: many, few: { b: 1 } }, metadata: JSON.stringify({ [name]: many }) }),
	);
	expect(Object.keys(flat).map((key) => key.length)).toEqual([2 + name.length, 7, 9 + name.length]);
	expect(flat[`a.${name}`]).toEqual(many);
	expect(flat["a.few.b"]).toBe(1);
});

test("a value of a few kilobytes does not become megabytes of keys, and one that repeats little is flattened whatever its length", () => {
	const members = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, index]));
	const bomb = { ["n".repeat(2_000)]: members(1_000) };
	expect(Object.keys(flattenAttributes(attributes({ a: bomb, metadata: JSON.stringify(bomb) })))).toEqual([
		`a.${"n".repeat(2_000)}`,
		`metadata.${"n".repeat(2_000)}`,
	]);
	const texts = Array.from({ length: 20_000 }, (_, index) => ({ content: `what was said ${index}` }));
	expect(Object.keys(flattenAttributes(attributes({ messages: texts })))).toHaveLength(20_000);
	expect(
		Object.keys(flattenAttributes(attributes({ a: { "a rather long name of a metric": members(1_000) } }))),
	).toHaveLength(1_000);
});
