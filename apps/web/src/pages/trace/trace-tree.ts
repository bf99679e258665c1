import type { TraceSpan } from "./trace-span.ts";

/**
 * The spans of a trace in pre-order, as flat arrays: a position `p` holds the span `spanAt[p]` and its subtree is
 * `p … subtreeEnd[p] - 1`. Rows for missing parents are positions too, with `spanAt[p] === -1`.
 */
export interface TraceTree {
	readonly spans: readonly TraceSpan[];
	/** Number of positions: spans and missing parents. */
	readonly length: number;
	/** Index into `spans`, -1 for a missing parent. */
	readonly spanAt: Int32Array;
	readonly depth: Int32Array;
	/** First position after the subtree. */
	readonly subtreeEnd: Int32Array;
	/** Position of the parent row, -1 at the top. */
	readonly parentAt: Int32Array;
	/** Span id of the missing parent, by position. */
	readonly missingParents: ReadonlyMap<number, string>;
	/** Positions that were cut out of a cycle of parent ids. */
	readonly cycles: ReadonlySet<number>;
	/** First position of a span id, or of the row of a missing parent with this id. */
	readonly positionOf: ReadonlyMap<string, number>;
}

interface Forest {
	/** Children of each node, in order; nodes beyond the spans are missing parents. */
	readonly firstChild: Int32Array;
	readonly nextSibling: Int32Array;
	readonly roots: readonly number[];
	readonly missing: readonly string[];
}

/**
 * Builds the tree in O(n log n) without recursion. Children are ordered by start time. Spans whose parent is not in the
 * list are kept together below a row for that parent, which goes below the root when there is exactly one.
 */
export function buildTraceTree(spans: readonly TraceSpan[]): TraceTree {
	const order = byStart(spans);
	const forest = linkParents(spans, order);
	return layOut(spans, order, forest);
}

function byStart(spans: readonly TraceSpan[]): Int32Array {
	const order = Int32Array.from(spans.keys());
	const start = Float64Array.from(spans, (span) => span.startMicros);
	return order.sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || a - b);
}

function linkParents(spans: readonly TraceSpan[], order: Int32Array): Forest {
	const indexOf = new Map<string, number>();
	for (const index of order) {
		const id = spans[index]?.spanId ?? "";
		if (!indexOf.has(id)) indexOf.set(id, index);
	}
	const missing: string[] = [];
	const missingNode = new Map<string, number>();
	const lastChild = new Int32Array(spans.length * 2).fill(-1);
	const firstChild = new Int32Array(spans.length * 2).fill(-1);
	const nextSibling = new Int32Array(spans.length * 2).fill(-1);
	const roots: number[] = [];
	const orphanGroups: number[] = [];
	const append = (parent: number, child: number) => {
		const last = lastChild[parent] ?? -1;
		if (last < 0) firstChild[parent] = child;
		else nextSibling[last] = child;
		lastChild[parent] = child;
	};
	for (const index of order) {
		const parentId = spans[index]?.parentId ?? null;
		const parent = parentId === null ? undefined : indexOf.get(parentId);
		if (parentId === null || parent === index) roots.push(index);
		else if (parent !== undefined) append(parent, index);
		else {
			let group = missingNode.get(parentId);
			if (group === undefined) {
				group = spans.length + missing.length;
				missing.push(parentId);
				missingNode.set(parentId, group);
				orphanGroups.push(group);
			}
			append(group, index);
		}
	}
	const [onlyRoot] = roots;
	if (roots.length === 1 && onlyRoot !== undefined) for (const group of orphanGroups) append(onlyRoot, group);
	else roots.push(...orphanGroups);
	return { firstChild, nextSibling, roots, missing };
}

function layOut(spans: readonly TraceSpan[], order: Int32Array, forest: Forest): TraceTree {
	const length = spans.length + forest.missing.length;
	const spanAt = new Int32Array(length);
	const depth = new Int32Array(length);
	const subtreeEnd = new Int32Array(length);
	const parentAt = new Int32Array(length).fill(-1);
	const missingParents = new Map<number, string>();
	const cycles = new Set<number>();
	const positionOf = new Map<string, number>();
	const seen = new Uint8Array(length);
	let position = 0;

	const place = (node: number, parent: number) => {
		seen[node] = 1;
		depth[position] = parent < 0 ? 0 : (depth[parent] ?? 0) + 1;
		parentAt[position] = parent;
		const span = spans[node];
		if (span) {
			spanAt[position] = node;
			if (!positionOf.has(span.spanId)) positionOf.set(span.spanId, position);
		} else {
			const missingId = forest.missing[node - spans.length] ?? "";
			spanAt[position] = -1;
			missingParents.set(position, missingId);
			positionOf.set(missingId, position);
		}
		return position++;
	};
	const placeSubtree = (root: number) => {
		const open = [{ at: place(root, -1), next: forest.firstChild[root] ?? -1 }];
		for (let top = open.at(-1); top; top = open.at(-1)) {
			const child = top.next;
			if (child < 0) {
				subtreeEnd[top.at] = position;
				open.pop();
				continue;
			}
			top.next = forest.nextSibling[child] ?? -1;
			if (seen[child]) continue;
			open.push({ at: place(child, top.at), next: forest.firstChild[child] ?? -1 });
		}
	};

	for (const root of forest.roots) placeSubtree(root);
	// Spans that no root reaches form cycles: the earliest of each cycle becomes a root.
	for (const node of order) {
		if (seen[node]) continue;
		cycles.add(position);
		placeSubtree(node);
	}
	return { spans, length, spanAt, depth, subtreeEnd, parentAt, missingParents, cycles, positionOf };
}

/** The span in a row, undefined for the row of a missing parent. */
export function spanInRow(tree: TraceTree, position: number): TraceSpan | undefined {
	return tree.spans[tree.spanAt[position] ?? -1];
}

/** A key for a row that is stable while spans arrive: the span id and start, or the missing parent's id. */
export function rowKey(tree: TraceTree, position: number): string {
	const span = spanInRow(tree, position);
	return span ? `${span.spanId}@${span.startMicros}` : `missing ${tree.missingParents.get(position) ?? ""}`;
}

export function hasChildren(tree: Pick<TraceTree, "subtreeEnd">, position: number): boolean {
	return (tree.subtreeEnd[position] ?? 0) > position + 1;
}
