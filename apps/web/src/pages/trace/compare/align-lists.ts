import { diffArrays } from "diff";

/** Insertions and deletions up to which the longest common subsequence is found; its search takes their square. */
const MOST_EDITS = 400;

/** Indexes of an element of the left list and of one of the right list. */
export type Pair = readonly [left: number, right: number];

/**
 * Pairs equal keys of two lists without crossings: a longest common subsequence, or for lists that differ in more than
 * {@link MOST_EDITS} places a subsequence that may be shorter, in O(n log n).
 */
export function alignLists<Key>(left: readonly Key[], right: readonly Key[]): Pair[] {
	if (left.length === 0 || right.length === 0) return [];
	const changes = diffArrays([...left], [...right], { maxEditLength: MOST_EDITS });
	if (changes === undefined) return longestIncreasing(byOccurrence(left, right));
	const pairs: Pair[] = [];
	let [l, r] = [0, 0];
	for (const { added, removed, count } of changes) {
		if (!added && !removed) for (let each = 0; each < count; each++) pairs.push([l + each, r + each]);
		if (!added) l += count;
		if (!removed) r += count;
	}
	return pairs;
}

/** Pairs the nth occurrence of each key with its nth occurrence in the other list, by left index. */
export function byOccurrence<Key>(left: readonly Key[], right: readonly Key[]): Pair[] {
	const places = new Map<Key, number[]>();
	for (let at = right.length - 1; at >= 0; at--) {
		const key = right[at] as Key;
		const list = places.get(key);
		if (list) list.push(at);
		else places.set(key, [at]);
	}
	return left.flatMap((key, at) => {
		const other = places.get(key)?.pop();
		return other === undefined ? [] : [[at, other] as const];
	});
}

/** The most pairs, of those by left index, whose right indexes increase too (patience sorting). */
function longestIncreasing(pairs: readonly Pair[]): Pair[] {
	/** By length: the index of the pair with the least right index that ends such a sequence. */
	const ends: number[] = [];
	const before = new Int32Array(pairs.length).fill(-1);
	const rightOf = (index: number) => pairs[index]?.[1] ?? -1;
	for (const [index, [, right]] of pairs.entries()) {
		let low = 0;
		let high = ends.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (rightOf(ends[middle] ?? -1) < right) low = middle + 1;
			else high = middle;
		}
		before[index] = ends[low - 1] ?? -1;
		ends[low] = index;
	}
	const longest: Pair[] = [];
	for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
		const pair = pairs[index];
		if (pair) longest.push(pair);
	}
	return longest.reverse();
}
