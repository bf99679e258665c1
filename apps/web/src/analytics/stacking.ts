type Values = readonly (number | null)[];

/** Values as heights: each the sum of its own and of those before it. A bucket in which none is known has no height. */
export function stack(all: readonly Values[]): (number | null)[][] {
	const length = all[0]?.length ?? 0;
	const known = Array.from({ length }, (_, at) =>
		all.some((values) => values[at] !== null && values[at] !== undefined),
	);
	const sums = new Array<number>(length).fill(0);
	return all.map((values) =>
		sums.map((_, at) => {
			sums[at] = (sums[at] ?? 0) + (values[at] ?? 0);
			return known[at] ? (sums[at] ?? 0) : null;
		}),
	);
}

/**
 * The one that a point of a chart is on or next to.
 * @param heights at one place along the time, in the order of the series, as they are drawn
 * @param at the value at the height of the point
 */
export function seriesAt(heights: Values, at: number, isStacked: boolean): number | undefined {
	const known = [...heights.keys()].filter((index) => typeof heights[index] === "number");
	if (isStacked) return known.find((index) => (heights[index] ?? 0) >= at) ?? known.at(-1);
	const distance = (index: number) => Math.abs((heights[index] ?? 0) - at);
	return known.toSorted((a, b) => distance(a) - distance(b))[0];
}
