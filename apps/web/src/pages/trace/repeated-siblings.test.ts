import { expect, test } from "vitest";
import { findRepetitions, unfoldFor } from "./repeated-siblings.ts";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree, rowKey } from "./trace-tree.ts";
import { visiblePositions } from "./tree-rows.ts";

const none: ReadonlySet<string> = new Set();

// root ─ search (1–5, the third with a child) ─ answer
const tree = buildTraceTree([
	span("root", null, 0),
	...[1, 2, 3, 4, 5].map((n) => span(`s${n}`, "root", n, { name: "search" })),
	span("below", "s3", 3),
	span("answer", "root", 9),
]);
const repetitions = findRepetitions(tree);

test("folds siblings of the same name and kind into the first", () => {
	expect([...repetitions.byFirst.values()]).toEqual([{ first: 1, end: 7, count: 5 }]);
	expect([...visiblePositions(tree, none, repetitions, none)]).toEqual([0, 1, 7]);
	expect([...visiblePositions(tree, none, repetitions, new Set([rowKey(tree, 1)]))]).toHaveLength(tree.length);
	expect([...visiblePositions(tree, new Set([rowKey(tree, 0)]), repetitions, none)]).toEqual([0]);
});

test("unfolds what hides a row, also one below a sibling, and nothing else", () => {
	const below = tree.positionOf.get("below") ?? -1;
	expect([...unfoldFor(tree, repetitions, none, below)]).toEqual([rowKey(tree, 1)]);
	expect(unfoldFor(tree, repetitions, none, 1)).toBe(none);
	expect(unfoldFor(tree, repetitions, none, 7)).toBe(none);
});

test("keeps apart what failed, another name, another kind, and fewer than five", () => {
	const spans = [
		span("root", null, 0),
		...[1, 2, 3, 4].map((n) => span(`a${n}`, "root", n, { name: "same" })),
		span("failed", "root", 5, { name: "same", status: "ERROR" }),
		...[6, 7, 8, 9].map((n) => span(`b${n}`, "root", n, { name: "same" })),
		span("tool", "root", 10, { name: "same", kind: "TOOL" }),
		span("holds", "root", 11, { name: "same" }),
		span("failed below", "holds", 11, { status: "ERROR" }),
	];
	expect(findRepetitions(buildTraceTree(spans)).byFirst.size).toBe(0);
});

test("folds within what is folded, and at the top", () => {
	const spans = ["a", "b", "c", "d", "e"].flatMap((id, n) => [
		span(id, null, n * 100, { name: "turn" }),
		...[1, 2, 3, 4, 5].map((child) => span(`${id}${child}`, id, n * 100 + child, { name: "step" })),
	]);
	const turns = buildTraceTree(spans);
	const found = findRepetitions(turns);
	expect([...visiblePositions(turns, none, found, none)]).toEqual([0, 1]);
	expect([...visiblePositions(turns, none, found, new Set([rowKey(turns, 0)]))]).toEqual([
		0, 1, 6, 7, 12, 13, 18, 19, 24, 25,
	]);
});
