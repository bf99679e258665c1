import type { Statistic } from "./measure.ts";
import { countAgreeing, countAnswers, makeSum, pairsOf } from "./pattern-pairs.ts";
import type { Patterns } from "./patterns.ts";

/**
 * Of all pairs of answers to the same item, the share that agrees, from 0 to 1:
 *
 *     Σᵤ aᵤ / Σᵤ mᵤ(mᵤ − 1)/2
 *
 * with mᵤ answers to item u, of whose pairs aᵤ agree: are equal, or numbers no further apart than `tolerance`. An item
 * with more answers counts for more. With two raters it is the share of items on which they agree, `accuracy_score` of
 * scikit-learn.
 */
export function percentAgreement(patterns: Patterns, tolerance: number): Statistic {
	const agreeing = countAgreeing(patterns, tolerance);
	const withAgreement = Uint32Array.from(agreeing.keys()).filter((pattern) => agreeing[pattern] !== 0);
	const countPairs = makeSum(countAnswers(patterns).map(pairsOf), patterns);
	return (weights) => {
		let agreed = 0;
		for (const pattern of withAgreement) agreed += (weights[pattern] ?? 0) * (agreeing[pattern] ?? 0);
		return agreed / countPairs(weights);
	};
}
