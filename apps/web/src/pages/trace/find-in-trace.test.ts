import { expect, test } from "vitest";
import { findInTrace, markWords, nextMatch, searchWords } from "./find-in-trace.ts";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree } from "./trace-tree.ts";

const tree = buildTraceTree([
	span("a1", null, 1, { name: "Plan trip" }),
	span("b2", "a1", 2, { name: "ChatOpenAI", kind: "LLM", model: "gpt-4o-mini" }),
	span("c3", "gone", 3, { name: "get_weather", kind: "TOOL", status: "ERROR", statusMessage: "boom" }),
]);

test.each([
	["trip", [0]],
	["llm", [1]],
	["GPT-4o", [1]],
	["b2", [1]],
	["error", [3]],
	["boom weather", [3]],
	["chat weather", []],
	["  ", []],
])("finds %j", (query, positions) => {
	expect(findInTrace(tree, query)).toEqual(positions);
});

test("adds the spans whose content the server found", () => {
	expect(findInTrace(tree, "sunny", new Set(["c3"]))).toEqual([3]);
});

test("goes to the next and previous match, wrapping around", () => {
	expect(nextMatch([2, 5], 2, 1)).toBe(5);
	expect(nextMatch([2, 5], 5, 1)).toBe(2);
	expect(nextMatch([2, 5], 2, -1)).toBe(5);
	expect(nextMatch([], 0, 1)).toBeUndefined();
});

test("marks the words in a text", () => {
	expect(markWords("get_weather", searchWords("WEA t"))).toEqual([
		{ text: "ge", match: false },
		{ text: "t", match: true },
		{ text: "_", match: false },
		{ text: "weat", match: true },
		{ text: "her", match: false },
	]);
	expect(markWords("İab", ["a"])).toEqual([{ text: "İab", match: false }]);
	expect(markWords("", ["a"])).toEqual([{ text: "", match: false }]);
});
