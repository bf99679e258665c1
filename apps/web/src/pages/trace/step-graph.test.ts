import type { SpanKind } from "@spanward/semconv";
import { expect, test } from "vitest";
import { type GraphMode, stepGraph } from "./step-graph.ts";
import { span } from "./trace-span.fixture.ts";
import { buildTraceTree } from "./trace-tree.ts";

type Sent = readonly [id: string, parent: string | null, kind: SpanKind, name: string, start: number, end: number];

function graphOf(mode: GraphMode, ...sent: readonly Sent[]) {
	const spans = sent.map(([id, parent, kind, name, start, endMicros]) =>
		span(id, parent, start * 1_000, { kind, name, endMicros: endMicros * 1_000 }),
	);
	const { steps, edges, hidden } = stepGraph(buildTraceTree(spans), mode);
	const nameOf = (key: string) => steps.find((step) => step.key === key)?.name;
	return {
		steps: steps.map(({ name, positions, totalMs }) => `${name} ×${positions.length} ${totalMs}`),
		edges: edges.map(
			({ from, to, count, isLoop }) => `${nameOf(from)}→${nameOf(to)} ×${count}${isLoop ? " loop" : ""}`,
		),
		hidden,
	};
}

const AGENT: readonly Sent[] = [
	["a", null, "AGENT", "planner", 0, 100],
	["w", "a", "CHAIN", "wrapper", 1, 99],
	["m1", "w", "LLM", "model", 2, 10],
	["t1", "w", "TOOL", "search", 12, 20],
	["m2", "w", "LLM", "model", 22, 30],
	["t2", "w", "TOOL", "search", 32, 40],
	["m3", "w", "LLM", "model", 42, 50],
];

test("calls are counted by kind and name, and wrappers are left out", () => {
	expect(graphOf("calls", ...AGENT)).toEqual({
		steps: ["planner ×1 100", "model ×3 24", "search ×2 16"],
		edges: ["planner→model ×3", "planner→search ×2"],
		hidden: 0,
	});
});

test("in order, a step follows the one before it, and the way back is a loop", () => {
	expect(graphOf("order", ...AGENT).edges).toEqual(["planner→model ×1", "model→search ×2", "search→model ×2 loop"]);
});

test("what runs at the same time branches off at one step", () => {
	const edges = graphOf(
		"order",
		["a", null, "AGENT", "planner", 0, 100],
		["m", "a", "LLM", "model", 0, 10],
		["t1", "a", "TOOL", "search", 10, 30],
		["t2", "a", "TOOL", "fetch", 11, 40],
		["e", "a", "LLM", "answer", 50, 60],
	).edges;
	expect(edges).toEqual(["planner→model ×1", "model→search ×1", "model→fetch ×1", "fetch→answer ×1"]);
});

test("a step that calls itself is a loop, and a trace of wrappers shows them", () => {
	const edges = graphOf(
		"calls",
		["a", null, "CHAIN", "solve", 0, 100],
		["b", "a", "CHAIN", "solve", 1, 50],
		["c", "b", "CHAIN", "leaf", 2, 3],
	).edges;
	expect(edges).toEqual(["solve→solve ×1 loop", "solve→leaf ×1"]);
});

test("of many steps the first ones are shown", () => {
	const tools = Array.from(
		{ length: 200 },
		(_, index): Sent => [`t${index}`, "a", "TOOL", `tool ${index}`, index, index + 1],
	);
	const { steps, hidden } = graphOf("calls", ["a", null, "AGENT", "planner", 0, 300], ...tools);
	expect([steps.length, hidden]).toEqual([80, 121]);
});
