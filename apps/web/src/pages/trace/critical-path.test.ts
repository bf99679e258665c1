import { expect, test } from "vitest";
import { criticalPath } from "./critical-path.ts";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree, spanInRow } from "./trace-tree.ts";

type Timed = readonly [id: string, parent: string | null, start: number, end: number];

/** The parts by span id, in order of time, such as `a 0–10`. */
function pathOf(...spans: readonly Timed[]): string[] {
	const tree = buildTraceTree(spans.map(([id, parent, start, endMicros]) => span(id, parent, start, { endMicros })));
	return [...criticalPath(tree)]
		.flatMap(([position, parts]) => parts.map((part) => ({ id: spanInRow(tree, position)?.spanId, ...part })))
		.sort((a, b) => a.startMicros - b.startMicros)
		.map(({ id, startMicros, endMicros }) => `${id} ${startMicros}–${endMicros}`);
}

test("time belongs to the child that ended last, and to the span itself between children", () => {
	expect(pathOf(["a", null, 0, 100], ["b", "a", 10, 40], ["c", "a", 50, 90])).toEqual([
		"a 0–10",
		"b 10–40",
		"a 40–50",
		"c 50–90",
		"a 90–100",
	]);
});

test("of children that run at the same time, the one that ends last counts", () => {
	expect(pathOf(["a", null, 0, 100], ["short", "a", 10, 60], ["long", "a", 10, 100])).toEqual([
		"a 0–10",
		"long 10–100",
	]);
	expect(pathOf(["a", null, 0, 100], ["first", "a", 0, 30], ["beside", "a", 20, 60], ["last", "a", 40, 100])).toEqual([
		"first 0–30",
		"a 30–40",
		"last 40–100",
	]);
});

test("goes down to the leaves", () => {
	expect(pathOf(["a", null, 0, 100], ["b", "a", 0, 100], ["c", "b", 20, 80])).toEqual([
		"b 0–20",
		"c 20–80",
		"b 80–100",
	]);
});

test("a child counts only while its parent ran", () => {
	expect(pathOf(["a", null, 10, 50], ["early", "a", 0, 20], ["late", "a", 40, 90], ["after", "a", 60, 95])).toEqual([
		"early 10–20",
		"a 20–40",
		"late 40–50",
	]);
});

test("leads over several roots and below missing parents", () => {
	expect(pathOf(["a", null, 0, 30], ["b", null, 40, 100], ["c", "gone", 50, 90])).toEqual(["a 0–30", "b 40–100"]);
	expect(pathOf(["a", null, 0, 100], ["c", "gone", 50, 90])).toEqual(["a 0–50", "c 50–90", "a 90–100"]);
});

test("spans without a duration, or that end before they start, take no time", () => {
	expect(pathOf(["a", null, 0, 10], ["b", "a", 5, 5], ["c", "a", 8, 2])).toEqual(["a 0–10"]);
	expect(pathOf()).toEqual([]);
});

test("a trace of 50,000 levels does not overflow the stack", () => {
	const count = 50_000;
	const deep = Array.from({ length: count }, (_, n): Timed => [`${n}`, n === 0 ? null : `${n - 1}`, n, 2 * count - n]);
	expect(pathOf(...deep)).toHaveLength(2 * count - 1);
});
