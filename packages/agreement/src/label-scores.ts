import type { ConfusionMatrix } from "./confusion-matrix.ts";
import type { Value } from "./model.ts";

/** How well a label is found. With t items where both gave it, g where gold has it, j where it was judged so: */
export interface LabelScore {
	readonly label: Value;
	/** t / j; null where nothing was judged so, and it is undefined. */
	readonly precision: number | null;
	/** t / g; null where gold never has it, and it is undefined. */
	readonly recall: number | null;
	/** 2t / (g + j), the harmonic mean of both; null where neither has it, and it is undefined. */
	readonly f1: number | null;
	/** g */
	readonly gold: number;
	/** j */
	readonly judged: number;
}

/**
 * Precision, recall and F1 by label. C. J. van Rijsbergen (1979), Information Retrieval, 2nd edition, chapter 7. Equal to
 * `sklearn.metrics.precision_recall_fscore_support` of scikit-learn 1.9.1 with `average=None, zero_division=nan`.
 *
 * @param matrix with gold in its rows
 */
export function scoreLabels({ labels, counts }: ConfusionMatrix): LabelScore[] {
	return labels.map((label, place) => {
		const right = counts[place]?.[place] ?? 0;
		const gold = sum(counts[place] ?? []);
		const judged = sum(counts.map((row) => row[place] ?? 0));
		return {
			label,
			precision: ratio(right, judged),
			recall: ratio(right, gold),
			f1: ratio(2 * right, gold + judged),
			gold,
			judged,
		};
	});
}

function ratio(part: number, all: number): number | null {
	return all === 0 ? null : part / all;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
