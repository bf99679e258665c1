import { drawBinomial } from "./binomial.ts";
import type { Random } from "./random.ts";

/** Draws a resample into an array of its own, which the next draw overwrites: how often each pattern was drawn. */
export interface Resampler {
	readonly draw: () => Uint32Array;
	/** About what a draw costs, in draws of one item. */
	readonly cost: number;
}

/** A binomial variate takes about as long as so many draws of one item. */
const BINOMIAL_COST = 16;

/**
 * Draws as many items as there are, with replacement. Items of the same pattern are alike, so that only how often each
 * pattern is drawn matters: a multinomial variate, which is drawn either pattern by pattern, each binomial among
 * the draws that are left, or item by item where there are too many patterns for that.
 *
 * @param counts how many items have each pattern
 */
export function makeResampler(counts: Uint32Array, random: Random): Resampler {
	const items = counts.reduce((sum, count) => sum + count, 0);
	const weights = new Uint32Array(counts.length);
	if (counts.length * BINOMIAL_COST < items) {
		return { draw: () => drawByPattern(counts, items, random, weights), cost: counts.length * BINOMIAL_COST };
	}
	const patternOf = listPatterns(counts, items);
	const drawByItem = () => {
		weights.fill(0);
		random.countDraws(patternOf, weights);
		return weights;
	};
	return { draw: drawByItem, cost: items };
}

function drawByPattern(counts: Uint32Array, items: number, random: Random, weights: Uint32Array): Uint32Array {
	let draws = items;
	let left = items;
	for (let pattern = 0; pattern < counts.length; pattern++) {
		const count = counts[pattern] ?? 0;
		const drawn = drawBinomial(random, draws, count / left);
		weights[pattern] = drawn;
		draws -= drawn;
		left -= count;
	}
	return weights;
}

/** The pattern of each item, the items in the order of their patterns. */
function listPatterns(counts: Uint32Array, items: number): Uint32Array {
	const patternOf = new Uint32Array(items);
	let start = 0;
	for (const [pattern, count] of counts.entries()) {
		patternOf.fill(pattern, start, start + count);
		start += count;
	}
	return patternOf;
}
