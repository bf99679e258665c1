import type { DatabaseSync } from "node:sqlite";
import { counts, NODE_COLUMNS, type NodeRow, nodeOfRow, type SpanNode } from "../../totals/span-node.ts";
import type { Cumulative, SpanSummary } from "../../trace-store.ts";

const PICO = 1e12;

interface Sum {
	errors: number;
	prompt: number;
	completion: number;
	total: number;
	costPico: number;
}

/** Totals of each span with its descendants. Whether a span counts depends on its descendants only, so it is known. */
export function findCumulative(db: DatabaseSync, spans: readonly SpanSummary[]): Map<number, Cumulative> {
	const result = new Map<number, Cumulative>();
	for (const [traceRowId, wanted] of Map.groupBy(spans, (span) => span.traceRowId)) {
		const cumulativeOf = cumulativeOfTrace(db, traceRowId);
		for (const { id } of wanted) {
			const cumulative = cumulativeOf(id);
			if (cumulative !== undefined) result.set(id, cumulative);
		}
	}
	return result;
}

/** The totals of spans of one trace, by span row number. */
export function cumulativeOfTrace(db: DatabaseSync, traceRowId: number): (id: number) => Cumulative | undefined {
	const rows = db.prepare(`select ${NODE_COLUMNS} from spans where trace_row_id = ?`).all(traceRowId);
	const nodes = (rows as unknown as NodeRow[]).map(nodeOfRow);
	const children = Map.groupBy(
		nodes.filter((node) => node.parentSpanId !== node.spanId),
		(node) => node.parentSpanId,
	);
	const sums = sumTree(nodes, children);
	const byId = new Map(nodes.map((node) => [node.id, node]));
	return (id) => {
		const node = byId.get(id);
		if (node === undefined) return undefined;
		const { errors: errorCount, prompt, completion, total, costPico } = sums?.get(id) ?? sumReachable(node, children);
		return { errorCount, tokens: { prompt, completion, total }, cost: costPico / PICO };
	};
}

type Children = ReadonlyMap<string | null, readonly SpanNode[]>;

/** Every span's sum in one pass; undefined when the spans are no tree: two have one id, or a parent is below its child. */
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
	const sum = { errors: 0, prompt: 0, completion: 0, total: 0, costPico: 0 };
	for (const node of reached) add(sum, own(node));
	return sum;
}

function own(node: SpanNode): Sum {
	const errors = node.statusCode === 2 ? 1 : 0;
	if (!counts(node)) return { errors, prompt: 0, completion: 0, total: 0, costPico: 0 };
	const { prompt, completion, total } = node;
	return { errors, prompt, completion, total, costPico: node.costPico ?? 0 };
}

function add(to: Sum | undefined, from: Sum | undefined): void {
	if (to === undefined || from === undefined) return;
	to.errors += from.errors;
	to.prompt += from.prompt;
	to.completion += from.completion;
	to.total += from.total;
	to.costPico += from.costPico;
}
