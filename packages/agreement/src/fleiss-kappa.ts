import type { Statistic } from "./measure.ts";
import { countAgreeing, countAnswers, pairsOf } from "./pattern-pairs.ts";
import type { Patterns } from "./patterns.ts";

/**
 * Fleiss' κ of the items that have exactly `answers` answers each, by whomever:
 *
 *     κ = (P̄ − P̄ₑ) / (1 − P̄ₑ),  P̄ = 1/N Σᵢ Σⱼ nᵢⱼ(nᵢⱼ − 1) / (n(n − 1)),  P̄ₑ = Σⱼ (Σᵢ nᵢⱼ / (N n))²
 *
 * for N items with n answers each, nᵢⱼ of which are category j. It is defined for no other items: those with fewer
 * answers or more are left out. NaN where all answers are of one category (0/0), or there is no such item.
 *
 * J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin 76(5), 378–382. Equal
 * to `statsmodels.stats.inter_rater.fleiss_kappa` of statsmodels 0.15.0.
 */
export function fleissKappa(patterns: Patterns, answers: number): Statistic {
	const { values, starts, codes } = patterns;
	const agreeing = countAgreeing(patterns, 0);
	const complete = listComplete(patterns, answers);
	const categories = new Float64Array(values.length);
	return (weights) => {
		categories.fill(0);
		let items = 0;
		let agreed = 0;
		for (const pattern of complete) {
			const weight = weights[pattern] ?? 0;
			if (weight === 0) continue;
			items += weight;
			agreed += weight * (agreeing[pattern] ?? 0);
			for (let place = starts[pattern] ?? 0, end = starts[pattern + 1] ?? 0; place < end; place++) {
				const code = codes[place] ?? 0;
				categories[code] = (categories[code] ?? 0) + weight;
			}
		}
		const all = items * answers;
		if (all === 0 || categories.includes(all)) return Number.NaN;
		const byChance = categories.reduce((sum, count) => sum + (count / all) ** 2, 0);
		return (agreed / (items * pairsOf(answers)) - byChance) / (1 - byChance);
	};
}

/** The patterns of items with exactly so many answers. */
export function listComplete(patterns: Patterns, answers: number): Uint32Array {
	const answersOf = countAnswers(patterns);
	return Uint32Array.from(patterns.counts.keys()).filter((pattern) => answersOf[pattern] === answers);
}
