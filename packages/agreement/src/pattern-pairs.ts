import type { Statistic } from "./measure.ts";
import type { Patterns } from "./patterns.ts";

/** By pattern: how many answers an item of it has. */
export function countAnswers({ counts, starts }: Patterns): Uint32Array {
	return Uint32Array.from(counts, (_, pattern) => (starts[pattern + 1] ?? 0) - (starts[pattern] ?? 0));
}

/** By pattern: in how many of an item's pairs of answers both are equal, or numbers no further apart than `tolerance`. */
export function countAgreeing({ values, counts, starts, codes }: Patterns, tolerance: number): Uint32Array {
	const agreeing = new Uint32Array(counts.length);
	for (let pattern = 0; pattern < counts.length; pattern++) {
		const end = starts[pattern + 1] ?? 0;
		for (let place = starts[pattern] ?? 0; place < end; place++) {
			const code = codes[place] ?? 0;
			for (let next = place + 1; next < end; next++) {
				const other = codes[next] ?? 0;
				if (code === other || isNear(values[code], values[other], tolerance))
					agreeing[pattern] = (agreeing[pattern] ?? 0) + 1;
			}
		}
	}
	return agreeing;
}

function isNear(left: unknown, right: unknown, tolerance: number): boolean {
	return typeof left === "number" && typeof right === "number" && Math.abs(left - right) <= tolerance;
}

/** How many pairs that many answers to an item make. */
export function pairsOf(answers: number): number {
	return (answers * (answers - 1)) / 2;
}

/**
 * What the numbers of all drawn items add up to, given the number of each pattern. Each resample has as many items as
 * there are, so that there is nothing to add where all have the same number.
 */
export function makeSum(numbers: Uint32Array, { counts }: Patterns): Statistic {
	const [first] = numbers;
	if (numbers.every((number) => number === first)) {
		const sum = counts.reduce((items, count) => items + count, 0) * (first ?? 0);
		return () => sum;
	}
	return (weights) => {
		let sum = 0;
		for (let pattern = 0; pattern < weights.length; pattern++) sum += (weights[pattern] ?? 0) * (numbers[pattern] ?? 0);
		return sum;
	};
}
