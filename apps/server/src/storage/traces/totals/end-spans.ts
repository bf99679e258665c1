import type { NormalizedSpan } from "../span-batch.ts";
import type { AddedSpans, OpenedTrace, SpanTotals } from "./add-spans.ts";
import { rebuildRollup } from "./rebuild.ts";
import { userOf } from "./rollup.ts";
import { type SpanNode, toNode } from "./span-node.ts";
import type { SpanLocation } from "./span-row.ts";

/** The result of ending spans of a trace, perhaps while others are added. */
export interface RebuiltSpans extends AddedSpans {
	/** All spans that the trace has now. */
	readonly nodes: readonly SpanNode[];
	/** Other stored spans whose flags have to be written. */
	readonly flagged: readonly SpanNode[];
}

/**
 * Ends spans of a trace that say something else at their end, and adds the new ones: computes its totals anew, as nearly
 * all of them may depend on such a span, and changes those of the hours.
 * @param stored all stored spans of the trace
 */
export function endSpans(
	{ projectId, fresh, ended, row }: OpenedTrace,
	stored: readonly SpanNode[],
	locationOf: (span: NormalizedSpan) => SpanLocation,
	{ hours, spend }: SpanTotals,
): RebuiltSpans {
	for (const node of stored) {
		hours.addSpan(projectId, node, -1);
		spend.addSpan(projectId, node, row?.user_id ?? null, -1);
	}
	const replaced = new Map(ended.map(({ stored: { id }, span }) => [id, toNode(id, span)]));
	const added = fresh.map((span) => toNode(locationOf(span).id, span));
	const nodes = [...stored.map((node) => replaced.get(node.id) ?? node), ...added];
	const { rollup, changed } = rebuildRollup(nodes);
	const user = userOf(rollup);
	for (const node of nodes) {
		hours.addSpan(projectId, node, 1);
		spend.addSpan(projectId, node, user, 1);
	}
	const flagged = changed.filter((node) => node.source === undefined);
	return { nodes, added, ended: [...replaced.values()], flagged, rollup };
}
