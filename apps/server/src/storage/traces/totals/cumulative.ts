import type { Cumulative } from "../trace-store.ts";
import { NO_COST, toDollars } from "./cost-pico.ts";
import { counts, type NodeRow, nodeOfRow, type SpanNode } from "./span-node.ts";

interface Sum {
	errors: number;
	prompt: number;
	completion: number;
	total: number;
	costMicro: number;
	costPico: number;
}

/**
 * Totals of the spans of one trace including their descendants, by span row number. Whether a span counts depends only
 * on its descendants, so its row says it.
 */
export function cumulativeOfRows(rows: readonly NodeRow[]): (id: number) => Cumulative | undefined {
	const nodes = rows.map(nodeOfRow);
	const children = Map.groupBy(
		nodes.filter((node) => node.parentSpanId !== node.spanId),
		(node) => node.parentSpanId,
	);
	const sums = sumTree(nodes, children);
	const byId = new Map(nodes.map((node) => [node.id, node]));
	return (id) => {
		const node = byId.get(id);
		if (node === undefined) return undefined;
		const sum = sums?.get(id) ?? sumReachable(node, children);
		const { errors: errorCount, prompt, completion, total, costMicro: micro, costPico: pico } = sum;
		return { errorCount, tokens: { prompt, completion, total }, cost: toDollars({ micro, pico }) };
	};
}

type Children = ReadonlyMap<string | null, readonly SpanNode[]>;

/** The sums of all spans in one pass; undefined when the spans form no tree: a repeated id, or a cycle. */
function sumTree(nodes: readonly SpanNode[], children: Children): Map<number, Sum> | undefined {
	const ids = new Set(nodes.map((node) => node.spanId));
	if (ids.size < nodes.length) return undefined;
	const parentFirst = nodes.filter(
		(node) => node.parentSpanId === null || node.parentSpanId === node.spanId || !ids.has(node.parentSpanId),
	);
	for (const node of parentFirst) parentFirst.push(...(children.get(node.spanId) ?? []));
	if (parentFirst.length < nodes.length) return undefined;
	const sums = new Map(nodes.map((node) => [node.id, own(node)]));
	for (const node of parentFirst.toReversed()) {
		const sum = sums.get(node.id);
		for (const child of children.get(node.spanId) ?? []) add(sum, sums.get(child.id));
	}
	return sums;
}

function sumReachable(start: SpanNode, children: Children): Sum {
	const reached = new Set([start]);
	for (const node of reached) for (const child of children.get(node.spanId) ?? []) reached.add(child);
	const sum = { errors: 0, prompt: 0, completion: 0, total: 0, costMicro: 0, costPico: 0 };
	for (const node of reached) add(sum, own(node));
	return sum;
}

function own(node: SpanNode): Sum {
	const errors = node.statusCode === 2 ? 1 : 0;
	if (!counts(node)) return { errors, prompt: 0, completion: 0, total: 0, costMicro: 0, costPico: 0 };
	const { prompt, completion, total } = node;
	const { micro: costMicro, pico: costPico } = node.cost ?? NO_COST;
	return { errors, prompt, completion, total, costMicro, costPico };
}

function add(to: Sum | undefined, from: Sum | undefined): void {
	if (to === undefined || from === undefined) return;
	to.errors += from.errors;
	to.prompt += from.prompt;
	to.completion += from.completion;
	to.total += from.total;
	to.costMicro += from.costMicro;
	to.costPico += from.costPico;
}
