import type { Measure } from "./measure.ts";
import type { BootstrapOptions, Steps } from "./model.ts";
import { Random } from "./random.ts";
import { makeResampler } from "./resampling.ts";

const RESAMPLES = 2_000;
/** Some milliseconds. */
const DRAWS_A_STEP = 400_000;

/**
 * Gives each measure its values in `resamples` resamples of the items; all see the same resamples. Bootstrap of
 * B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
 *
 * @param counts how many items have each pattern
 */
export function* bootstrap(
	counts: Uint32Array,
	measures: readonly Measure[],
	{ seed = 1, resamples = RESAMPLES }: BootstrapOptions,
): Steps<void> {
	const measured = measures.filter(({ isMeasured }) => isMeasured);
	if (measured.length === 0) return;
	const { draw, cost } = makeResampler(counts, new Random(seed));
	let work = 0;
	for (let resample = 0; resample < resamples; resample++) {
		const weights = draw();
		for (const measure of measured) measure.addResample(weights);
		work += cost;
		if (work < DRAWS_A_STEP) continue;
		work = 0;
		yield;
	}
}
