import { expect, test } from "vitest";
import { span } from "../trace-span.fixture.ts";
import type { TraceSpan } from "../trace-span.ts";
import { buildTraceTree } from "../trace-tree.ts";
import { alignTraces } from "./align-traces.ts";
import { comparedKey, compareRows, type DigestsById, shownRows } from "./compare-rows.ts";

function compare(left: TraceSpan[], right: TraceSpan[], leftDigests?: DigestsById, rightDigests?: DigestsById) {
	const alignment = alignTraces(buildTraceTree(left), buildTraceTree(right));
	return { alignment, compared: compareRows(alignment, leftDigests ?? new Map(), rightDigests ?? new Map()) };
}

const tokens = (total: number) => ({ tokens: { prompt: null, completion: null, total } });
const root = span("root", null, 0);

test("names what differs, without times and costs", () => {
	const left = span("a", null, 0, { ...tokens(3), cost: 1, model: "small", status: "OK" });
	const same = span("a", null, 5, { ...tokens(3), cost: 2, model: "small", status: "OK", endMicros: 900 });
	expect(compare([left], [same]).compared.rows).toMatchObject([{ state: "same", differs: [] }]);
	const other = span("a", null, 0, { ...tokens(4), name: "b", model: "large", status: "ERROR" });
	expect(compare([left], [other]).compared.rows).toMatchObject([
		{ state: "changed", differs: ["name", "status", "model", "tokens"] },
	]);
	const cycle = (id: string) => span("a", null, 0, { name: `cycle ${id.repeat(32)}` });
	expect(compare([cycle("a")], [cycle("b")]).compared.rows[0]?.state).toBe("same");
	const running = span("a", null, 0, { ...left, state: "running" });
	expect(compare([left], [running]).compared.rows[0]?.differs).toEqual(["status"]);
});

test("compares contents as soon as both are known", () => {
	const digests = (input: string | null) => new Map([["root", { input, output: "o", parameters: null }]]);
	expect(compare([root], [root], digests("1"), digests("2")).compared.rows[0]?.differs).toEqual(["input"]);
	expect(compare([root], [root], digests("1"), digests(null)).compared.rows[0]?.differs).toEqual(["input"]);
	expect(compare([root], [root], digests("1"), digests("1")).compared.rows[0]?.state).toBe("same");
	expect(compare([root], [root], digests("1"), new Map()).compared.rows[0]?.state).toBe("same");
});

test("counts rows and the differences below, and shows only those with what they are below", () => {
	const left = [root, span("a", "root", 1), span("a1", "a", 2), span("b", "root", 3), span("b1", "b", 4)];
	const right = [root, span("a", "root", 1), span("a1", "a", 2), span("b", "root", 3), span("b2", "b", 4)];
	const { alignment, compared } = compare(left, right);
	expect(compared.counts).toEqual({ same: 4, changed: 0, left: 1, right: 1 });
	expect([...compared.below]).toEqual([2, 0, 0, 2, 0, 0]);
	expect(compared.differences).toEqual([4, 5]);
	const none = new Set<string>();
	expect([...shownRows(alignment, compared, none, false)]).toEqual([0, 1, 2, 3, 4, 5]);
	expect([...shownRows(alignment, compared, none, true)]).toEqual([0, 3, 4, 5]);
	const row = compared.rows[3];
	expect(row && [...shownRows(alignment, compared, new Set([comparedKey(row, 3)]), true)]).toEqual([0, 3]);
});
