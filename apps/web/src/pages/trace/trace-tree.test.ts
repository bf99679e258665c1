import { expect, test } from "vitest";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree, rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";

function outline(tree: TraceTree): string[] {
	return Array.from({ length: tree.length }, (_, position) => {
		const name = spanInRow(tree, position)?.spanId ?? `missing ${tree.missingParents.get(position)}`;
		return `${"  ".repeat(tree.depth[position] ?? 0)}${name}`;
	});
}

test("lists spans below their parents, by start time, whatever the order of arrival", () => {
	const tree = buildTraceTree([span("d", "b", 4), span("c", "a", 3), span("b", "a", 2), span("a", null, 1)]);
	expect(outline(tree)).toEqual(["a", "  b", "    d", "  c"]);
	expect([...tree.subtreeEnd]).toEqual([4, 3, 3, 4]);
	expect([...tree.parentAt]).toEqual([-1, 0, 1, 0]);
});

test("keeps spans of a missing parent together, below the only root", () => {
	const tree = buildTraceTree([span("a", null, 1), span("b", "gone", 2), span("c", "gone", 3), span("d", "b", 4)]);
	expect(outline(tree)).toEqual(["a", "  missing gone", "    b", "      d", "    c"]);
	expect(tree.positionOf.get("gone")).toBe(1);
});

test("puts missing parents at the top when there is no root or there are several", () => {
	expect(outline(buildTraceTree([span("b", "gone", 2)]))).toEqual(["missing gone", "  b"]);
	const two = buildTraceTree([span("a", null, 1), span("z", null, 9), span("b", "gone", 2)]);
	expect(outline(two)).toEqual(["a", "z", "missing gone", "  b"]);
});

test("shows spans that are each other's parents, once each", () => {
	const tree = buildTraceTree([span("a", "b", 1), span("b", "a", 2), span("c", "c", 3)]);
	expect(outline(tree)).toEqual(["c", "a", "  b"]);
	expect([...tree.cycles]).toEqual([1]);
});

test("keeps two spans of one id that differ in start", () => {
	const tree = buildTraceTree([span("a", null, 1), span("a", null, 5), span("b", "a", 6)]);
	expect(outline(tree)).toEqual(["a", "  b", "a"]);
	expect(new Set([rowKey(tree, 0), rowKey(tree, 2)]).size).toBe(2);
});

test("builds a chain of 100,000 spans without running out of stack", () => {
	const spans = Array.from({ length: 100_000 }, (_, i) => span(`s${i}`, i === 0 ? null : `s${i - 1}`, i));
	const tree = buildTraceTree(spans);
	expect(tree.length).toBe(100_000);
	expect(tree.depth[99_999]).toBe(99_999);
	expect(tree.subtreeEnd[0]).toBe(100_000);
});
