import type { Statistic } from "./measure.ts";
import type { Level } from "./model.ts";
import { countAgreeing, countAnswers, makeSum, pairsOf } from "./pattern-pairs.ts";
import type { Patterns } from "./patterns.ts";

/**
 * Krippendorff's α of all items with two answers or more, however many raters there are and whatever each left out:
 *
 *     α = 1 − Dₒ / Dₑ,  Dₒ = 1/n Σᵤ 1/(mᵤ − 1) Σ_{i≠j} δ²(xᵤᵢ, xᵤⱼ),  Dₑ = 1/(n(n − 1)) Σ_{i≠j} δ²(xᵢ, xⱼ)
 *
 * with mᵤ answers to item u, and n answers in all. δ² by level: `nominal` 0 or 1; `interval` (c − k)²; `ordinal`
 * (Σ_{g from c to k} n_g − (n_c + n_k)/2)² for n_g answers of value g, which is the squared difference of mid-ranks. So
 * with numbers, or ranks in their place, both sums follow from sums of x and x², without a matrix of coincidences:
 * Σ_{i≠j} (xᵢ − xⱼ)² = 2(n Σx² − (Σx)²). NaN where all these answers are the same (0/0).
 *
 * K. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, University of Pennsylvania; (2019), Content
 * Analysis, 4th edition, chapter 12. Equal to `krippendorff.alpha` of krippendorff 0.9.0.
 */
export function krippendorffAlpha(patterns: Patterns, level: Level): Statistic {
	const alpha = BY_LEVEL[level](patterns);
	return (weights) => (haveOneValue(patterns, weights) ? Number.NaN : alpha(weights));
}

const BY_LEVEL: { readonly [key in Level]: (patterns: Patterns) => Statistic } = {
	nominal: nominalAlpha,
	ordinal: ordinalAlpha,
	interval: intervalAlpha,
};

/** Ends at the second value, which mostly is among the first answers. */
function haveOneValue({ starts, codes }: Patterns, weights: Uint32Array): boolean {
	let first: number | undefined;
	for (let pattern = 0; pattern < weights.length; pattern++) {
		const weight = weights[pattern] ?? 0;
		if (weight === 0) continue;
		for (let place = starts[pattern] ?? 0, end = starts[pattern + 1] ?? 0; place < end; place++) {
			first ??= codes[place];
			if (codes[place] !== first) return false;
		}
	}
	return true;
}

function nominalAlpha(patterns: Patterns): Statistic {
	const answersOf = countAnswers(patterns);
	const agreeing = countAgreeing(patterns, 0);
	const observedOf = Float64Array.from(answersOf, (answers, pattern) => {
		return (2 * (pairsOf(answers) - (agreeing[pattern] ?? 0))) / (answers - 1);
	});
	const totals = new Float64Array(patterns.values.length);
	return (weights) => {
		const all = addUpValues(patterns, weights, totals);
		let observed = 0;
		for (let pattern = 0; pattern < weights.length; pattern++) {
			observed += (weights[pattern] ?? 0) * (observedOf[pattern] ?? 0);
		}
		const equal = totals.reduce((sum, count) => sum + count * count, 0);
		return 1 - (observed * (all - 1)) / (all * all - equal);
	};
}

function ordinalAlpha(patterns: Patterns): Statistic {
	const { starts, codes } = patterns;
	const totals = new Float64Array(patterns.values.length);
	const ranks = new Float64Array(patterns.values.length);
	return (weights) => {
		const all = addUpValues(patterns, weights, totals);
		rankValues(totals, all, ranks);
		let observed = 0;
		let sum = 0;
		let squares = 0;
		for (let pattern = 0; pattern < weights.length; pattern++) {
			const weight = weights[pattern] ?? 0;
			if (weight === 0) continue;
			const start = starts[pattern] ?? 0;
			const end = starts[pattern + 1] ?? 0;
			let itemSum = 0;
			let itemSquares = 0;
			for (let place = start; place < end; place++) {
				const rank = ranks[codes[place] ?? 0] ?? 0;
				itemSum += rank;
				itemSquares += rank * rank;
			}
			sum += weight * itemSum;
			squares += weight * itemSquares;
			observed += (weight * ((end - start) * itemSquares - itemSum * itemSum)) / (end - start - 1);
		}
		return 1 - (observed * (all - 1)) / (all * squares - sum * sum);
	};
}

function intervalAlpha(patterns: Patterns): Statistic {
	const { counts, starts, codes } = patterns;
	const numbers = scaleNumbers(patterns);
	const answersOf = countAnswers(patterns);
	const addUpAnswers = makeSum(answersOf, patterns);
	const observedOf = new Float64Array(counts.length);
	const sumOf = new Float64Array(counts.length);
	const squaresOf = new Float64Array(counts.length);
	for (const [pattern, answers] of answersOf.entries()) {
		const values = Array.from(codes.subarray(starts[pattern], starts[pattern + 1]), (code) => numbers[code] ?? 0);
		observedOf[pattern] = addUpDistances(values) / (answers - 1);
		sumOf[pattern] = values.reduce((sum, value) => sum + value, 0);
		squaresOf[pattern] = values.reduce((sum, value) => sum + value * value, 0);
	}
	return (weights) => {
		const all = addUpAnswers(weights);
		let observed = 0;
		let sum = 0;
		let squares = 0;
		for (let pattern = 0; pattern < weights.length; pattern++) {
			const weight = weights[pattern] ?? 0;
			observed += weight * (observedOf[pattern] ?? 0);
			sum += weight * (sumOf[pattern] ?? 0);
			squares += weight * (squaresOf[pattern] ?? 0);
		}
		return 1 - (observed * (all - 1)) / (all * squares - sum * sum);
	};
}

/** How often each value was given, into `totals`. @returns how many answers there are */
function addUpValues({ starts, codes }: Patterns, weights: Uint32Array, totals: Float64Array): number {
	totals.fill(0);
	let all = 0;
	for (let pattern = 0; pattern < weights.length; pattern++) {
		const weight = weights[pattern] ?? 0;
		if (weight === 0) continue;
		const end = starts[pattern + 1] ?? 0;
		for (let place = starts[pattern] ?? 0; place < end; place++) {
			const code = codes[place] ?? 0;
			totals[code] = (totals[code] ?? 0) + weight;
			all += weight;
		}
	}
	return all;
}

/** The mid-rank of each value, from the middle of all answers: small, and exact as a double. */
function rankValues(totals: Float64Array, all: number, ranks: Float64Array): void {
	let below = 0;
	for (const [code, count] of totals.entries()) {
		ranks[code] = below + count / 2 - all / 2;
		below += count;
	}
}

/** Σ_{i<j} (xᵢ − xⱼ)² */
function addUpDistances(values: readonly number[]): number {
	let distances = 0;
	for (const [place, value] of values.entries()) {
		for (const other of values.slice(place + 1)) distances += (value - other) ** 2;
	}
	return distances;
}

/**
 * The values less their median, in halves of their range: α is the same, squares do not overflow, and where most values
 * are near each other their sums of squares keep their digits.
 */
function scaleNumbers({ values, counts, starts, codes }: Patterns): Float64Array {
	const halves = Float64Array.from(values, (value) => Number(value) / 2);
	const range = (halves.at(-1) ?? 0) - (halves[0] ?? 0);
	const totals = new Float64Array(values.length);
	const all = addUpValues({ values, counts, starts, codes }, counts, totals);
	let below = 0;
	const medianCode = totals.findIndex((count) => {
		below += count;
		return below >= all / 2;
	});
	const median = halves[medianCode] ?? 0;
	return halves.map((half) => (range === 0 ? 0 : (half - median) / range));
}
