/** Of whole numbers, both ends included. */
export type Ends = readonly [from: number, to: number];

/**
 * At most so many ranges that have these, in their order: those that lie nearest to each other are one.
 * @param near from the end of a range on, within which the next one is joined in any case
 */
export function joinRanges(ranges: readonly Ends[], most: number, near = 1): Ends[] {
	const apart = joined(
		ranges.toSorted(([a], [b]) => a - b),
		near,
	);
	if (apart.length <= most) return apart;
	const gaps = apart.slice(1).map(([from], index) => from - (apart[index]?.[1] ?? from));
	return joined(apart, gaps.toSorted((a, b) => b - a)[most - 1] ?? 1);
}

/** @param distance from the end of a range on, within which the next one is joined */
function joined(ranges: readonly Ends[], distance: number): Ends[] {
	const result: [from: number, to: number][] = [];
	for (const [from, to] of ranges) {
		const last = result.at(-1);
		if (last !== undefined && from - last[1] <= distance) last[1] = Math.max(last[1], to);
		else result.push([from, to]);
	}
	return result;
}
