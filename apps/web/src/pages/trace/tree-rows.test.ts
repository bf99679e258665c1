import { expect, test } from "vitest";
import { findRepetitions } from "./repeated-siblings.ts";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree, rowKey } from "./trace-tree.ts";
import {
	collapsibleKeys,
	errorPositions,
	moveInTree,
	reveal,
	visibleIndex,
	visiblePositions as visiblePositionsOf,
} from "./tree-rows.ts";

// a ─ b ─ d
//   └ c
const tree = buildTraceTree([span("a", null, 1), span("b", "a", 2), span("d", "b", 3), span("c", "a", 4)]);
const none: ReadonlySet<string> = new Set();
const folded = new Set([rowKey(tree, 1)]);
const visiblePositions = (of: typeof tree, collapsed: ReadonlySet<string>) =>
	visiblePositionsOf(of, collapsed, findRepetitions(of), none);

test("hides the rows below a collapsed one", () => {
	expect([...visiblePositions(tree, none)]).toEqual([0, 1, 2, 3]);
	expect([...visiblePositions(tree, folded)]).toEqual([0, 1, 3]);
});

test("finds the row that hides a position", () => {
	expect(visibleIndex(visiblePositions(tree, folded), 2)).toBe(1);
	expect(visibleIndex(new Int32Array(0), 2)).toBe(-1);
});

test("names the rows that can be collapsed, from a depth on", () => {
	expect([...collapsibleKeys(tree, 0)]).toEqual([rowKey(tree, 0), rowKey(tree, 1)]);
	expect([...collapsibleKeys(tree, 1)]).toEqual([rowKey(tree, 1)]);
});

test("finds the spans that failed", () => {
	const failed = buildTraceTree([
		span("a", null, 1, { status: "ERROR" }),
		span("b", "a", 2),
		span("c", "b", 3, { status: "ERROR" }),
	]);
	expect(errorPositions(failed)).toEqual([0, 2]);
	expect(errorPositions(tree)).toEqual([]);
});

test("expands the ancestors of a row to reveal it, and nothing else", () => {
	expect([...reveal(tree, folded, 2)]).toEqual([]);
	expect(reveal(tree, folded, 3)).toBe(folded);
});

test("moves with arrows and j/k, stops at both ends", () => {
	const visible = visiblePositions(tree, none);
	expect(moveInTree(tree, visible, none, 0, "j")).toEqual({ to: 1 });
	expect(moveInTree(tree, visible, none, 3, "ArrowDown")).toBeUndefined();
	expect(moveInTree(tree, visible, none, 0, "k")).toBeUndefined();
	expect(moveInTree(tree, visible, none, 3, "Home")).toEqual({ to: 0 });
	expect(moveInTree(tree, visible, none, 0, "End")).toEqual({ to: 3 });
});

test("left collapses, then goes to the parent; right expands, then goes to the first child", () => {
	const visible = visiblePositions(tree, none);
	const visibleFolded = visiblePositions(tree, folded);
	expect(moveInTree(tree, visible, none, 1, "ArrowLeft")).toEqual({ collapse: 1 });
	expect(moveInTree(tree, visibleFolded, folded, 1, "ArrowLeft")).toEqual({ to: 0 });
	expect(moveInTree(tree, visibleFolded, folded, 1, "ArrowRight")).toEqual({ expand: 1 });
	expect(moveInTree(tree, visible, none, 1, "ArrowRight")).toEqual({ to: 2 });
	expect(moveInTree(tree, visible, none, 2, "ArrowRight")).toBeUndefined();
});
