import type { Cells } from "./cells.ts";
import type { Statistic } from "./measure.ts";

/**
 * Cohen's κ of two fixed raters, unweighted, of the items that both answered:
 *
 *     κ = (pₒ − pₑ) / (1 − pₑ),  pₒ = Σₖ n_kk / N,  pₑ = Σₖ n_k· n_·k / N²
 *
 * for N items, n_kl of which the first rater gave label k and the second label l. NaN where both gave the same one label
 * to all (0/0).
 *
 * J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20(1), 37–46.
 * Equal to `sklearn.metrics.cohen_kappa_score` of scikit-learn 1.9.1.
 */
export function cohenKappa({ labels, firsts, seconds }: Cells): Statistic {
	const byFirst = new Float64Array(labels.length);
	const bySecond = new Float64Array(labels.length);
	return (weights) => {
		byFirst.fill(0);
		bySecond.fill(0);
		let all = 0;
		let equal = 0;
		for (let cell = 0; cell < weights.length; cell++) {
			const weight = weights[cell] ?? 0;
			const first = firsts[cell] ?? 0;
			const second = seconds[cell] ?? 0;
			byFirst[first] = (byFirst[first] ?? 0) + weight;
			bySecond[second] = (bySecond[second] ?? 0) + weight;
			all += weight;
			if (first === second) equal += weight;
		}
		const byChance = byFirst.reduce((sum, count, label) => sum + count * (bySecond[label] ?? 0), 0);
		return byChance === all * all ? Number.NaN : (equal * all - byChance) / (all * all - byChance);
	};
}

/** Of the items that both answered, the share to which they gave the same label. */
export function pairAgreement({ firsts, seconds }: Cells): Statistic {
	return (weights) => {
		let all = 0;
		let equal = 0;
		for (let cell = 0; cell < weights.length; cell++) {
			const weight = weights[cell] ?? 0;
			all += weight;
			if (firsts[cell] === seconds[cell]) equal += weight;
		}
		return equal / all;
	};
}
