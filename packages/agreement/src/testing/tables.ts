import type { Item, Value } from "../model.ts";
import { Random } from "../random.ts";

/** Answers to one item by each rater, null where there is none. */
export type Row<Cell extends Value = number> = readonly (Cell | null)[];

/** Raters are called `A`, `B` and so on, by their column. */
export function toItems(rows: readonly Row<Value>[]): Item[] {
	return rows.map((row) =>
		row.flatMap((value, column) => (value === null ? [] : [{ rater: String.fromCodePoint(65 + column), value }])),
	);
}

/** The example of K. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: 12 units, 4 observers. */
export const KRIPPENDORFF_2011: readonly Row[] = [
	[1, 1, null, 1],
	[2, 2, 3, 2],
	[3, 3, 3, 3],
	[3, 3, 3, 3],
	[2, 2, 2, 2],
	[1, 2, 3, 4],
	[4, 4, 4, 4],
	[1, 1, 2, 1],
	[2, 2, 2, 2],
	[null, 5, 5, 5],
	[null, null, 1, 1],
	[null, 3, null, null],
];

/** How many of 14 raters put each of 10 subjects into each of 5 categories: the example of Wikipedia's Fleiss' kappa. */
const FLEISS_COUNTS = [
	[0, 0, 0, 0, 14],
	[0, 2, 6, 4, 2],
	[0, 0, 3, 5, 6],
	[0, 3, 9, 2, 0],
	[2, 2, 8, 1, 1],
	[7, 7, 0, 0, 0],
	[3, 2, 6, 3, 0],
	[2, 5, 3, 2, 2],
	[6, 5, 2, 1, 0],
	[0, 2, 2, 3, 7],
];

export const FLEISS_EXAMPLE: readonly Row[] = FLEISS_COUNTS.map((counts) =>
	counts.flatMap((count, category) => Array<number>(count).fill(category)),
);

/** Table 1 of J. Cohen (1960), as counts of 200. */
const COHEN_COUNTS = [
	[88, 10, 2],
	[14, 40, 6],
	[18, 10, 12],
];

export const COHEN_1960: readonly Row[] = COHEN_COUNTS.flatMap((counts, first) =>
	counts.flatMap((count, second) => Array.from({ length: count }, () => [first, second])),
);

interface TableShape {
	readonly items: number;
	readonly raters: number;
	/** Values are 0 to this less 1, or any number from 0 to it with `isContinuous`. */
	readonly values: number;
	/** The share of answers that are missing. */
	readonly holes: number;
	readonly isContinuous?: boolean;
}

/** Raters who mostly come near the truth about an item. */
export function randomTable(seed: number, { items, raters, values, holes, isContinuous = false }: TableShape): Row[] {
	const random = new Random(seed);
	const answer = (truth: number) => {
		const said = random.fraction() < 0.6 ? truth : random.fraction() * values;
		return isContinuous ? said + random.fraction() / 10 : Math.floor(said);
	};
	return Array.from({ length: items }, () => {
		const truth = random.fraction() * values;
		return Array.from({ length: raters }, () => (random.fraction() < holes ? null : answer(truth)));
	});
}
