import { bootstrap } from "./bootstrap.ts";
import type { Cells } from "./cells.ts";
import { cohenKappa, pairAgreement } from "./cohen-kappa.ts";
import type { ConfusionMatrix } from "./confusion-matrix.ts";
import { Measure } from "./measure.ts";
import type { BootstrapOptions, Estimate, Steps } from "./model.ts";

export interface PairAgreement {
	/** From 0 to 1. */
	readonly percentAgreement: Estimate;
	/** See cohen-kappa.ts. */
	readonly cohensKappa: Estimate;
}

/**
 * How far two agree, from the matrix of what they said, with 95 % intervals from resampling its items.
 *
 * @example
 * for (const { raters, matrix } of runInOneGo(confusionByRaters(items))) show(raters, runInOneGo(measurePair(matrix)));
 */
export function* measurePair(matrix: ConfusionMatrix, options: BootstrapOptions = {}): Steps<PairAgreement> {
	const cells = cellsOf(matrix);
	const percent = new Measure(pairAgreement(cells), cells.counts, matrix.pairs);
	const kappa = new Measure(cohenKappa(cells), cells.counts, matrix.pairs);
	yield* bootstrap(cells.counts, [percent, kappa], options);
	return { percentAgreement: percent.estimate(), cohensKappa: kappa.estimate() };
}

function cellsOf({ labels, counts }: ConfusionMatrix): Cells {
	const cells = counts
		.flatMap((row, first) => row.map((count, second) => ({ first, second, count })))
		.filter(({ count }) => count > 0);
	return {
		labels,
		firsts: Uint32Array.from(cells, ({ first }) => first),
		seconds: Uint32Array.from(cells, ({ second }) => second),
		counts: Uint32Array.from(cells, ({ count }) => count),
	};
}
