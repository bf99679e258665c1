import { rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";

/** Fewer siblings in a row are not worth a fold. */
const LEAST_REPEATED = 5;

/** Siblings that follow each other with the same name and kind, none of which failed or holds a span that did. */
export interface RepeatedSiblings {
	/** Position of the first, the only one that is shown while they are folded. */
	readonly first: number;
	/** First position after the last one and what is below it. */
	readonly end: number;
	readonly count: number;
}

export interface Repetitions {
	readonly byFirst: ReadonlyMap<number, RepeatedSiblings>;
	/** By the position of the second sibling, from which on they are hidden while folded. */
	readonly bySecond: ReadonlyMap<number, RepeatedSiblings>;
	/** Position of the first of its siblings, by position; -1 where nothing repeats. */
	readonly firstOf: Int32Array;
}

/** Finds what repeats at every level of a tree, in O(n). */
export function findRepetitions(tree: TraceTree): Repetitions {
	const failed = withErrorBelow(tree);
	const firstOf = new Int32Array(tree.length).fill(-1);
	const byFirst = new Map<number, RepeatedSiblings>();
	const bySecond = new Map<number, RepeatedSiblings>();
	const isSeen = new Uint8Array(tree.length);
	for (let first = 0; first < tree.length; first++) {
		if (isSeen[first]) continue;
		const siblings = [first];
		let end = tree.subtreeEnd[first] ?? tree.length;
		for (let next = end; repeats(tree, failed, first, next); next = end) {
			siblings.push(next);
			end = tree.subtreeEnd[next] ?? tree.length;
		}
		for (const position of siblings) isSeen[position] = 1;
		if (siblings.length < LEAST_REPEATED) continue;
		const found = { first, end, count: siblings.length };
		byFirst.set(first, found);
		bySecond.set(siblings[1] ?? first, found);
		for (const position of siblings) firstOf[position] = first;
	}
	return { byFirst, bySecond, firstOf };
}

/**
 * The unfolded siblings (by the row key of the first) with those that hide a position, so that its row is visible; the
 * same set if it already is.
 */
export function unfoldFor(
	tree: TraceTree,
	{ firstOf }: Repetitions,
	unfolded: ReadonlySet<string>,
	position: number,
): ReadonlySet<string> {
	const hiding: string[] = [];
	for (let row = position; row >= 0; row = tree.parentAt[row] ?? -1) {
		const first = firstOf[row] ?? -1;
		if (first < 0 || first === row) continue;
		const key = rowKey(tree, first);
		if (!unfolded.has(key)) hiding.push(key);
	}
	return hiding.length === 0 ? unfolded : new Set([...unfolded, ...hiding]);
}

function repeats(tree: TraceTree, failed: Uint8Array, first: number, next: number): boolean {
	if (next >= tree.length || tree.parentAt[next] !== tree.parentAt[first]) return false;
	const one = spanInRow(tree, first);
	const other = spanInRow(tree, next);
	if (one === undefined || other === undefined || failed[first] || failed[next]) return false;
	return one.name === other.name && one.kind === other.kind;
}

/** 1 for each position whose span, or one below it, failed. */
function withErrorBelow(tree: TraceTree): Uint8Array {
	const failed = new Uint8Array(tree.length);
	for (let position = tree.length - 1; position >= 0; position--) {
		if (spanInRow(tree, position)?.status === "ERROR") failed[position] = 1;
		const parent = tree.parentAt[position] ?? -1;
		if (failed[position] && parent >= 0) failed[parent] = 1;
	}
	return failed;
}
