import type { SpanKind } from "@spanward/semconv";
import { spanInRow, type TraceTree } from "./trace-tree.ts";

/** Spans of one kind and name, as one step of an application. */
export interface Step {
	readonly key: string;
	readonly kind: SpanKind;
	readonly name: string;
	/** Positions in the tree, by start. */
	readonly positions: readonly number[];
	readonly errors: number;
	/** Sum of the durations, milliseconds. */
	readonly totalMs: number;
}

export interface StepEdge {
	readonly from: string;
	readonly to: string;
	readonly count: number;
	/** It leads back to a step that came before, or from a step to itself. */
	readonly isLoop: boolean;
}

export interface StepGraph {
	readonly steps: readonly Step[];
	readonly edges: readonly StepEdge[];
	/** Steps that are left out, as there are too many. */
	readonly hidden: number;
}

/** `calls`: who calls whom; `order`: which step follows which. */
export type GraphMode = "calls" | "order";

/** More would be no overview. */
const MAX_STEPS = 80;
/** Spans that only hold others together. */
const WRAPPERS = new Set<SpanKind>(["CHAIN", "UNKNOWN"]);

/**
 * The graph of a trace's steps. Wrappers are left out, except the root and in a trace that has nothing else; their
 * children belong to the next step above.
 *
 * In `order`, a step follows the one beside it that ended last before it began, so that what ran at the same time
 * branches off at the same step; the first ones follow the step that called them.
 */
export function stepGraph(tree: TraceTree, mode: GraphMode): StepGraph {
	const keys = keysByPosition(tree);
	const callers = callersOf(tree, keys);
	const steps = stepsOf(tree, keys);
	const shown = new Map(steps.slice(0, MAX_STEPS).map((step, rank) => [step.key, rank]));
	const edges = new Map<string, { from: string; to: string; count: number }>();
	const from = mode === "calls" ? callers : predecessors(tree, keys, callers);
	for (let position = 0; position < tree.length; position += 1) {
		const to = keys[position];
		const before = keys[from[position] ?? -1];
		if (to === undefined || before === undefined || !shown.has(to) || !shown.has(before)) continue;
		const id = JSON.stringify([before, to]);
		const edge = edges.get(id) ?? { from: before, to, count: 0 };
		edge.count += 1;
		edges.set(id, edge);
	}
	const rank = (key: string) => shown.get(key) ?? 0;
	return {
		steps: steps.slice(0, MAX_STEPS),
		edges: [...edges.values()].map((edge) => ({ ...edge, isLoop: rank(edge.to) <= rank(edge.from) })),
		hidden: Math.max(0, steps.length - MAX_STEPS),
	};
}

/** The step of each position; undefined for wrappers and missing parents. */
function keysByPosition(tree: TraceTree): (string | undefined)[] {
	const hasSteps = tree.spans.some(({ kind }) => !WRAPPERS.has(kind));
	return Array.from({ length: tree.length }, (_, position) => {
		const span = spanInRow(tree, position);
		if (span === undefined) return undefined;
		const isShown = !hasSteps || !WRAPPERS.has(span.kind) || tree.parentAt[position] === -1;
		return isShown ? JSON.stringify([span.kind, span.name]) : undefined;
	});
}

/** The position of the next step above, by position; -1 without one. */
function callersOf(tree: TraceTree, keys: readonly (string | undefined)[]): Int32Array {
	const callers = new Int32Array(tree.length).fill(-1);
	for (let position = 0; position < tree.length; position += 1) {
		const parent = tree.parentAt[position] ?? -1;
		callers[position] = parent === -1 || keys[parent] !== undefined ? parent : (callers[parent] ?? -1);
	}
	return callers;
}

function predecessors(tree: TraceTree, keys: readonly (string | undefined)[], callers: Int32Array): Int32Array {
	const called = new Map<number, number[]>();
	for (let position = 0; position < tree.length; position += 1) {
		if (keys[position] === undefined) continue;
		const caller = callers[position] ?? -1;
		const list = called.get(caller);
		if (list === undefined) called.set(caller, [position]);
		else list.push(position);
	}
	const before = new Int32Array(tree.length).fill(-1);
	for (const [caller, list] of called) {
		const byStart = list.toSorted((a, b) => startOf(tree, a) - startOf(tree, b) || a - b);
		const byEnd = list.toSorted((a, b) => endOf(tree, a) - endOf(tree, b) || a - b);
		let ended = 0;
		for (const position of byStart) {
			while (ended < byEnd.length && endOf(tree, byEnd[ended] ?? 0) <= startOf(tree, position)) ended += 1;
			const last = byEnd.slice(Math.max(0, ended - 2), ended).findLast((each) => each !== position);
			before[position] = last ?? caller;
		}
	}
	return before;
}

/** By the first start. */
function stepsOf(tree: TraceTree, keys: readonly (string | undefined)[]): Step[] {
	const positions = new Map<string, number[]>();
	for (const [position, key] of keys.entries()) {
		if (key === undefined) continue;
		const list = positions.get(key);
		if (list === undefined) positions.set(key, [position]);
		else list.push(position);
	}
	const steps = [...positions].map(([key, list]): Step => {
		const byStart = list.toSorted((a, b) => startOf(tree, a) - startOf(tree, b) || a - b);
		const spans = list.map((position) => spanInRow(tree, position)).filter((span) => span !== undefined);
		const [first] = spans;
		return {
			key,
			kind: first?.kind ?? "UNKNOWN",
			name: first?.name ?? "",
			positions: byStart,
			errors: spans.filter(({ status }) => status === "ERROR").length,
			totalMs: list.reduce((sum, position) => sum + (endOf(tree, position) - startOf(tree, position)) / 1_000, 0),
		};
	});
	const firstOf = (step: Step) => step.positions[0] ?? 0;
	return steps.toSorted((a, b) => startOf(tree, firstOf(a)) - startOf(tree, firstOf(b)) || firstOf(a) - firstOf(b));
}

function startOf(tree: TraceTree, position: number): number {
	return spanInRow(tree, position)?.startMicros ?? 0;
}

function endOf(tree: TraceTree, position: number): number {
	return spanInRow(tree, position)?.endMicros ?? 0;
}
