import { present } from "#base/present.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import type { HourChanges } from "./hour-changes.ts";
import { addToRollup, addUsage, type Rollup, replaceInRollup, startRollup, userOf } from "./rollup.ts";
import { LLM } from "./span-kinds.ts";
import { awaitsEnd, hasUsage, type SpanNode, toNode } from "./span-node.ts";
import type { SpanLocation } from "./span-row.ts";
import type { SpendChanges, Users } from "./spend-changes.ts";
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
	/** Spans of the batch that end a stored one. */
	readonly ended: readonly EndedSpan[];
}

/** A stored span without an end, and the same span with one. */
export interface EndedSpan {
	readonly stored: SpanNode;
	readonly span: NormalizedSpan;
}

/** The spans that change something, among those that the batch has of a trace. */
export function sortOut(
	spans: readonly NormalizedSpan[],
	nodes: TraceNodes,
): { fresh: NormalizedSpan[]; ended: EndedSpan[] } {
	const fresh: NormalizedSpan[] = [];
	const ended: EndedSpan[] = [];
	for (const span of spans) {
		const stored = nodes.findAt(span.spanId, span.start.micros, span.start.nanos);
		if (stored === undefined) fresh.push(span);
		else if (awaitsEnd(stored) && !span.isRunning) ended.push({ stored, span });
	}
	return { fresh, ended };
}

/**
 * Whether the totals without the running span and with the ended one follow from the former totals. Usual for a span
 * that was sent at its start; a span that says something else at its end needs `endSpans`.
 */
export function followsOn({ stored, span }: EndedSpan): boolean {
	const { parentSpanId, facts, end } = span;
	return (
		stored.parentSpanId === parentSpanId &&
		!hasUsage(stored) &&
		stored.cost === null &&
		(stored.sessionId === null || stored.sessionId === facts.session_id) &&
		(stored.userId === null || stored.userId === facts.user_id) &&
		(stored.release === null || stored.release === facts.release) &&
		(stored.environment === null || stored.environment === facts.environment) &&
		end.micros > stored.startMicros
	);
}

/** The result of adding spans to a trace; spans in `trace.nodes.marked` have a new mark. */
export interface AddedSpans {
	readonly added: readonly SpanNode[];
	/** Those that take the place of running ones, under their row numbers. */
	readonly ended: readonly SpanNode[];
	readonly rollup: Rollup;
}

/** Totals that spans are added to, other than those of their trace. */
export interface SpanTotals {
	readonly hours: HourChanges;
	readonly spend: SpendChanges;
}

/**
 * Adds the new spans of a trace to its totals, to those of the hours and to what was spent, and ends running ones. When the
 * trace has another user now, `moveSpend` is to follow.
 * @param stored the former totals of the trace; undefined for a new one
 */
export function addSpans(
	{ projectId, nodes, fresh, ended: ends, row }: OpenedTrace,
	stored: Rollup | undefined,
	locationOf: (span: NormalizedSpan) => SpanLocation,
	{ hours, spend }: SpanTotals,
): AddedSpans {
	const added = fresh.map((span) => toNode(locationOf(span).id, span));
	const replaced = ends.map(({ stored: before, span }) => [before, toNode(before.id, span)] as const);
	nodes.replace(replaced);
	for (const node of added) nodes.add(node);
	const rollup = stored ?? startRollup(present(added[0], "a span of a new trace"));
	for (const [before, node] of replaced) {
		hours.addSpan(projectId, before, -1);
		replaceInRollup(rollup, before, node);
		hours.addSpan(projectId, node, 1);
	}
	for (const node of added) {
		addToRollup(rollup, node);
		hours.addSpan(projectId, node, 1);
	}
	for (const node of nodes.marked) {
		if (node.aggregate) continue;
		addUsage(rollup, node, -1);
		hours.discountSpan(projectId, node);
		spend.discountSpan(projectId, node, row?.user_id ?? null);
	}
	const user = userOf(rollup);
	for (const [, node] of replaced) spend.addSpan(projectId, node, user, 1);
	for (const node of added) spend.addSpan(projectId, node, user, 1);
	return { added, ended: replaced.map(([, node]) => node), rollup };
}

/** The users of a trace between whom `moveSpend` is to move something; its stored spans are then read. */
export function usersToMove(row: TraceRow | undefined, { rollup }: AddedSpans): Users | undefined {
	const [from, to] = [row?.user_id ?? null, userOf(rollup)];
	if (row === undefined || from === to) return undefined;
	const isNothingSpent = row.tokens_total === 0 && row.cost_micro === 0 && row.cost_pico === 0;
	return isNothingSpent ? undefined : { from, to };
}

/** Gives what the stored spans of a trace have spent to the user that it has now. @param stored all, as before `addSpans` */
export function moveSpend(
	{ spend }: Pick<SpanTotals, "spend">,
	{ projectId, nodes, ended }: OpenedTrace,
	users: Users,
	stored: readonly SpanNode[],
): void {
	const done = new Set([...nodes.marked, ...ended.map((one) => one.stored)].map(({ id }) => id));
	const left = stored.filter(({ id }) => !done.has(id));
	spend.moveUser(projectId, left, users);
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
	{ added, ended, rollup }: AddedSpans,
	{ llmNodes, nodeById, textsOf }: StoredTexts,
): TraceTexts {
	const nodes = [...added, ...ended];
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const llmAdded = nodes.filter((node) => node.kind === LLM);
	// The texts of a span that ended may be others than before.
	const isOutdated = [row?.root_span, row?.input_span, row?.output_span].some((id) => id != null && byId.has(id));
	const chosen: ChosenTexts | undefined = row === undefined || isOutdated ? undefined : chosenOfRow(row);
	return chooseTexts(chosen, {
		root: rollup.root,
		added: llmAdded,
		all: () => (row === undefined ? llmAdded : [...llmAdded, ...llmNodes().filter((node) => !byId.has(node.id))]),
		byId: (id) => byId.get(id) ?? nodeById(id),
		textsOf,
	});
}
