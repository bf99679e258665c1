import type { SpanNode } from "../totals/span-node.ts";

/** Spans of a trace that exist in the one it joins: from their row numbers to those of the existing spans. */
export function findDuplicates(nodes: readonly SpanNode[], present: readonly SpanNode[]): Map<number, number> {
	const identity = (node: SpanNode) => `${node.spanId} ${node.startMicros} ${node.startNanos}`;
	const known = new Map(present.map((node) => [identity(node), node.id]));
	const duplicates = new Map<number, number>();
	for (const node of nodes) {
		const id = known.get(identity(node));
		if (id !== undefined) duplicates.set(node.id, id);
	}
	return duplicates;
}
