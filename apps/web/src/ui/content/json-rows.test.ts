import { expect, test } from "vitest";
import {
	findInJson,
	formatPath,
	type JsonView,
	jsonRows,
	listMore,
	openedAtFirst,
	revealPath,
	summarize,
} from "./json-rows.ts";
import type { Json } from "./json-value.ts";

const none: JsonView = { expanded: new Set(), listed: new Map() };
const lines = (root: Json, view: JsonView = none) =>
	jsonRows(root, view).map((row) => (row.type === "more" ? `${row.id} +${row.hidden}` : row.id));

test("lists only what is open", () => {
	const root = { a: { b: 1 }, c: [1, 2] };
	expect(lines(root)).toEqual([""]);
	expect(lines(root, { ...none, expanded: new Set(["", "/c"]) })).toEqual(["", "/a", "/c", "/c/0", "/c/1"]);
});

test("lists a large array in steps", () => {
	const root = Array.from({ length: 250 }, (_, i) => i);
	const first = lines(root, { ...none, expanded: new Set([""]) });
	expect(first).toHaveLength(102);
	expect(first.at(-1)).toBe("#after +150");
	const open: JsonView = { ...none, expanded: new Set([""]) };
	expect(lines(root, listMore(open, [], "after"))).toHaveLength(202);
	expect(lines(root, listMore(listMore(open, [], "after"), [], "after"))).toHaveLength(251);
});

test("opens levels within a budget, the root always", () => {
	const root = { a: [1, 2, 3], b: { c: { d: 1 } } };
	expect([...openedAtFirst(root, 100)]).toEqual(["", "/a", "/b", "/b/c"]);
	expect([...openedAtFirst(root, 5)]).toEqual(["", "/b", "/b/c"]);
	expect([...openedAtFirst(root, 1)]).toEqual([""]);
	expect([...openedAtFirst("text", 1)]).toEqual([]);
});

test("finds keys and values, in order, up to the limit", () => {
	const root = { role: "user", parts: [{ text: "The USER asked" }, 42], none: null };
	expect(findInJson(root, "user")).toEqual([["role"], ["parts", 0, "text"]]);
	expect(findInJson(root, "text")).toEqual([["parts", 0, "text"]]);
	expect(findInJson(root, "42")).toEqual([["parts", 1]]);
	expect(findInJson(root, "e", 1)).toEqual([["role"]]);
	expect(findInJson(root, " ")).toEqual([]);
});

test("survives thousands of levels", () => {
	let deep: Json = "bottom";
	for (let i = 0; i < 2000; i++) deep = [deep];
	expect(findInJson(deep, "bottom")).toHaveLength(1);
	expect(openedAtFirst(deep, 50).size).toBe(49);
});

test("reveals a path below closed and cut containers", () => {
	const root = { list: Array.from({ length: 250 }, (_, i) => ({ n: i })) };
	const view = revealPath(none, root, ["list", 249, "n"]);
	expect(lines(root, view)).toContain("/list/249/n");
	// Only those around it, however far down it is.
	expect(lines(root, view)).toHaveLength(2 + 1 + 50 + 1);
	expect(lines(root, view)[2]).toBe("/list#before +200");
	expect(lines(root, listMore(view, ["list"], "before"))[2]).toBe("/list#before +100");
});

test("writes paths as code and escapes odd keys", () => {
	expect(formatPath([])).toBe("$");
	expect(formatPath(["messages", 0, "odd key", "a.b"])).toBe('$.messages[0]["odd key"]["a.b"]');
});

test("treats __proto__ as a key like any other", () => {
	const root = JSON.parse('{"__proto__": {"a": 1}, "a/b": 2}') as Json;
	expect(lines(root, { ...none, expanded: new Set(["", "/__proto__"]) })).toEqual([
		"",
		"/__proto__",
		"/__proto__/a",
		"/a~1b",
	]);
	expect(lines(root, revealPath(none, root, ["__proto__", "a"]))).toContain("/__proto__/a");
});

test("summarizes closed containers", () => {
	expect(summarize([1, 2])).toBe("[2]");
	expect(summarize({})).toBe("{}");
	expect(summarize({ a: 1, b: 2, c: 3, d: 4, e: 5 })).toBe("{ a, b, c, d, … }");
});
