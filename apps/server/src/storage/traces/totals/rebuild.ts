import { addToRollup, type Rollup, startRollup } from "./rollup.ts";
import { flagsOf, type SpanNode } from "./span-node.ts";
import { NO_STORED_NODES, TraceNodes } from "./trace-nodes.ts";

/**
 * The totals of a trace with exactly these spans. Sets their marks "usage below".
 * @returns also the spans whose stored flags have to change
 */
export function rebuildRollup(stored: readonly SpanNode[]): { rollup: Rollup; changed: readonly SpanNode[] } {
	const [first] = stored;
	if (first === undefined) throw new Error("a trace has spans");
	const before = new Map(stored.map((node) => [node.id, flagsOf(node)]));
	const nodes = new TraceNodes(NO_STORED_NODES);
	for (const node of stored) {
		node.usageBelow = false;
		nodes.add(node);
	}
	const rollup = startRollup(first);
	for (const node of stored) addToRollup(rollup, node);
	return { rollup, changed: stored.filter((node) => flagsOf(node) !== before.get(node.id)) };
}
