import { type Failure, readFailure } from "./failure.ts";
import { type Below, comparisonsPerFailure, isHandedOn, joined, withFailure } from "./handed-on.ts";
import type { GroupingOptions, Occurrence, TraceSpan } from "./model.ts";
import { toOccurrence } from "./occurrence.ts";

/** The spans with one id, which is one span unless something is wrong, and what failed below them. */
interface Node {
	readonly id: string;
	/** Empty for a root. */
	parentId: string;
	/** Of the first of the spans. */
	startTimeUnixNano: bigint;
	/** Children that have not been looked at. */
	waitsFor: number;
	failures: FailedSpan[];
	below: Below | undefined;
}

interface FailedSpan {
	readonly span: TraceSpan;
	readonly failure: Failure;
}

/**
 * The failures of a trace, each once, by start time. A span that failed because one below it did counts for nothing.
 * The result depends on the set of spans alone, not on their order. Never throws.
 *
 * @param spans The spans of one trace that are stored. One that comes twice counts once; parents may be missing, or form
 * circles.
 */
export function findOccurrences(spans: Iterable<TraceSpan>, options: GroupingOptions = {}): Occurrence[] {
	const nodes = readNodes(spans);
	const ordered = childrenFirst(nodes);
	leaveOutRequestsOfCalls(ordered, nodes);
	const comparisons = comparisonsPerFailure(ordered.reduce((sum, { failures }) => sum + failures.length, 0));
	const occurrences: Occurrence[] = [];
	for (const node of ordered) {
		let { below } = node;
		const counted = node.failures.filter(({ failure }) => !isHandedOn(failure, node.below, comparisons));
		for (const { span, failure } of counted) {
			below = withFailure(below, failure);
			occurrences.push(toOccurrence(span, failure, options));
		}
		const parent = nodes.get(node.parentId);
		if (parent !== undefined) parent.below = joined(parent.below, below);
	}
	return occurrences.filter(({ kind }) => options.kinds?.has(kind) ?? true).toSorted(byTime);
}

function readNodes(spans: Iterable<TraceSpan>): Map<string, Node> {
	const nodes = new Map<string, Node>();
	for (const span of spans) {
		const node = nodes.get(span.spanId) ?? addNode(nodes, span);
		if (isBefore(span, node)) {
			node.startTimeUnixNano = span.startTimeUnixNano;
			node.parentId = span.parentSpanId;
		}
		const failure = readFailure(span);
		if (failure !== undefined) addFailure(node.failures, { span, failure });
	}
	linkToParents(nodes);
	return nodes;
}

/** In a trace with one root everything is below it, also where a span in between was never sent. */
function linkToParents(nodes: ReadonlyMap<string, Node>): void {
	const [root, ...others] = [...nodes.values()].filter(({ parentId }) => parentId === "");
	const onlyRoot = others.length === 0 ? (root?.id ?? "") : "";
	for (const node of nodes.values()) {
		const isOrphan = node.parentId === node.id || !nodes.has(node.parentId);
		if (isOrphan) node.parentId = node.id === onlyRoot ? "" : onlyRoot;
		const parent = nodes.get(node.parentId);
		if (parent !== undefined) parent.waitsFor++;
	}
}

function addNode(nodes: Map<string, Node>, span: TraceSpan): Node {
	const { spanId: id, parentSpanId: parentId, startTimeUnixNano } = span;
	const node: Node = { id, parentId, startTimeUnixNano, waitsFor: 0, failures: [], below: undefined };
	nodes.set(id, node);
	return node;
}

/** Of spans with one id, the first decides where they are. */
function isBefore(span: TraceSpan, node: Node): boolean {
	if (span.startTimeUnixNano !== node.startTimeUnixNano) return span.startTimeUnixNano < node.startTimeUnixNano;
	return span.parentSpanId < node.parentId;
}

/** A span is known by its id and start time. Of different contents the same is kept in any order. */
function addFailure(failures: FailedSpan[], added: FailedSpan): void {
	const at = failures.findIndex(({ span }) => span.startTimeUnixNano === added.span.startTimeUnixNano);
	const former = failures[at];
	if (former === undefined) failures.push(added);
	else if (sortKey(added.failure) < sortKey(former.failure)) failures[at] = added;
}

function sortKey({ kind, type, message, stack, spanName }: Failure): string {
	return JSON.stringify([kind, type, message, stack, spanName]);
}

/** Each node after all nodes below it. Of nodes in a circle, the one that started first is taken for its root. */
function childrenFirst(nodes: ReadonlyMap<string, Node>): readonly Node[] {
	const ordered = [...nodes.values()].filter(({ waitsFor }) => waitsFor === 0);
	let next = 0;
	const goUp = (): void => {
		for (; next < ordered.length; next++) {
			const parent = nodes.get(ordered[next]?.parentId ?? "");
			if (parent !== undefined && --parent.waitsFor === 0) ordered.push(parent);
		}
	};
	goUp();
	const inCircles = [...nodes.values()].filter(({ waitsFor }) => waitsFor > 0);
	for (const node of inCircles.toSorted(
		(a, b) => compare(a.startTimeUnixNano, b.startTimeUnixNano) || compare(a.id, b.id),
	)) {
		if (node.waitsFor === 0) continue;
		const parent = nodes.get(node.parentId);
		node.parentId = "";
		if (parent !== undefined && --parent.waitsFor === 0) ordered.push(parent);
		goUp();
	}
	return ordered;
}

/**
 * Instrumentation of HTTP records the request of a failed model call as a failed span of its own, which knows no more than
 * the status. The call says what happened, so its request is left out.
 */
function leaveOutRequestsOfCalls(ordered: readonly Node[], nodes: ReadonlyMap<string, Node>): void {
	const nearestFailing = new Map<Node, readonly FailedSpan[]>();
	for (const node of ordered.toReversed()) {
		const parent = nodes.get(node.parentId);
		const above = parent === undefined ? [] : (nearestFailing.get(parent) ?? []);
		const isRequestOfCall = above.some(({ failure }) => failure.kind === "provider_error" && !failure.saysNothing);
		if (isRequestOfCall)
			node.failures = node.failures.filter(({ failure }) => failure.kind !== "error" || !failure.saysNothing);
		nearestFailing.set(node, node.failures.length > 0 ? node.failures : above);
	}
}

function byTime(a: Occurrence, b: Occurrence): number {
	return compare(a.startTimeUnixNano, b.startTimeUnixNano) || compare(a.spanId, b.spanId);
}

function compare<T extends bigint | string>(a: T, b: T): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
