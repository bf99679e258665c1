import { awaitsEnd, type SpanNode } from "../totals/span-node.ts";

/**
 * Spans that two traces have which become one: from the row numbers of those that go to those of the ones that stay.
 * Where one has no end and the other has, the one with an end stays, else the present one.
 */
export function findDuplicates(nodes: readonly SpanNode[], present: readonly SpanNode[]): Map<number, number> {
	const identity = (node: SpanNode) => `${node.spanId} ${node.startMicros} ${node.startNanos}`;
	const known = new Map(present.map((node) => [identity(node), node]));
	const duplicates = new Map<number, number>();
	for (const node of nodes) {
		const other = known.get(identity(node));
		if (other === undefined) continue;
		if (awaitsEnd(other) && !awaitsEnd(node)) duplicates.set(other.id, node.id);
		else duplicates.set(node.id, other.id);
	}
	return duplicates;
}
