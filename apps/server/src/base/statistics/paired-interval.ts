import { studentT95 } from "./student-t.ts";

/** Differences between two values of the same things. */
export interface Differences {
	readonly mean: number;
	readonly count: number;
	/** Sum of the squared distances to the mean. */
	readonly squares: number;
}

/** 95 % interval of the mean of differences, by Student's t for pairs; undefined for fewer than two. */
export function pairedInterval({ mean, count, squares }: Differences): [number, number] | undefined {
	if (count < 2) return undefined;
	const half = studentT95(count - 1) * Math.sqrt(squares / (count - 1) / count);
	return [mean - half, mean + half];
}
