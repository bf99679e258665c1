import type { DatabaseSync } from "node:sqlite";
import type { Cumulative, SpanSummary } from "../../trace-store.ts";
import { counts, NODE_COLUMNS, type NodeRow, nodeOfRow, type SpanNode } from "../write/span-node.ts";

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
	const nodesOfTrace = db.prepare(`select ${NODE_COLUMNS} from spans where trace_row_id = ?`);
	for (const [traceRowId, wanted] of Map.groupBy(spans, (span) => span.traceRowId)) {
		const nodes = (nodesOfTrace.all(traceRowId) as unknown as NodeRow[]).map(nodeOfRow);
		const sums = sumSubtrees(nodes);
		for (const { id } of wanted) {
			const sum = sums.get(id);
			if (sum === undefined) continue;
			const { errors: errorCount, prompt, completion, total, costPico } = sum;
			result.set(id, { errorCount, tokens: { prompt, completion, total }, cost: costPico / PICO });
		}
	}
	return result;
}

function sumSubtrees(nodes: readonly SpanNode[]): Map<number, Sum> {
	const children = Map.groupBy(
		nodes.filter((node) => node.parentSpanId !== node.spanId),
		(node) => node.parentSpanId,
	);
	const sums = new Map<number, Sum>();
	const open = new Set<SpanNode>();
	for (const start of nodes) {
		// Depth first with a stack of our own: a trace may be deeper than the call stack. A cycle is cut where it closes.
		const stack: { node: SpanNode; next: number }[] = [];
		if (!sums.has(start.id)) push(start);
		for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
			const child = children.get(top.node.spanId)?.[top.next];
			top.next += 1;
			if (child === undefined) {
				stack.pop();
				open.delete(top.node);
				continue;
			}
			if (!sums.has(child.id)) {
				push(child);
				top.next -= 1;
			} else if (!open.has(child)) add(sums.get(top.node.id), sums.get(child.id));
		}

		function push(node: SpanNode): void {
			sums.set(node.id, own(node));
			stack.push({ node, next: 0 });
			open.add(node);
		}
	}
	return sums;
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
