import type { NormalizedSpan } from "../span-batch.ts";
import type { HourChanges } from "./hour-changes.ts";
import { addToRollup, addUsage, type Rollup, startRollup } from "./rollup.ts";
import { LLM } from "./span-kinds.ts";
import { type SpanNode, toNode } from "./span-node.ts";
import type { SpanLocation } from "./span-row.ts";
import type { TraceNodes } from "./trace-nodes.ts";
import { chosenOfRow, type TraceRow } from "./trace-row.ts";
import { type ChosenTexts, chooseTexts, type Texts, type TraceTexts } from "./trace-texts.ts";

/** The stored state of a trace to which spans of the batch belong. */
export interface OpenedTrace {
	readonly projectId: number;
	readonly traceId: string;
	readonly row: TraceRow | undefined;
	readonly nodes: TraceNodes;
	/** Spans of the batch that are not stored yet. */
	readonly fresh: readonly NormalizedSpan[];
}

/** The result of adding spans to a trace; spans in `trace.nodes.marked` have a new mark. */
export interface AddedSpans {
	readonly added: readonly SpanNode[];
	readonly rollup: Rollup;
}

/**
 * Adds the new spans of a trace to its totals and to those of the hours.
 * @param stored the former totals of the trace; undefined for a new one
 */
export function addSpans(
	{ projectId, nodes, fresh }: OpenedTrace,
	stored: Rollup | undefined,
	locationOf: (span: NormalizedSpan) => SpanLocation,
	hours: HourChanges,
): AddedSpans {
	const added = fresh.map((span) => toNode(locationOf(span).id, span));
	for (const node of added) nodes.add(node);
	const [first] = added;
	if (first === undefined) throw new Error("a trace is written only when it gets spans");
	const rollup = stored ?? startRollup(first);
	for (const node of added) {
		addToRollup(rollup, node);
		hours.addSpan(projectId, node, 1);
	}
	for (const node of nodes.marked) {
		if (node.aggregate) continue;
		addUsage(rollup, node, -1);
		hours.discountSpan(projectId, node);
	}
	return { added, rollup };
}

/** Access to the stored spans from which a trace's texts are chosen. */
export interface StoredTexts {
	/** Stored LLM spans, possibly including those of the batch. */
	readonly llmNodes: () => readonly SpanNode[];
	readonly nodeById: (id: number) => SpanNode;
	readonly textsOf: (node: SpanNode) => Texts;
}

/** First input and last output of a trace after spans were added. @param row the former row of the trace */
export function textsAfter(
	row: TraceRow | undefined,
	{ added, rollup }: AddedSpans,
	{ llmNodes, nodeById, textsOf }: StoredTexts,
): TraceTexts {
	const chosen: ChosenTexts | undefined = row === undefined ? undefined : chosenOfRow(row);
	const byId = new Map(added.map((node) => [node.id, node]));
	const llmAdded = added.filter((node) => node.kind === LLM);
	return chooseTexts(chosen, {
		root: rollup.root,
		added: llmAdded,
		all: () => (row === undefined ? llmAdded : [...llmAdded, ...llmNodes().filter((node) => !byId.has(node.id))]),
		byId: (id) => byId.get(id) ?? nodeById(id),
		textsOf,
	});
}
