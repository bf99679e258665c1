import type { Random } from "./random.ts";

/** How many of `trials` succeed, each with `probability` (0 to 1). Exact in distribution but for the rounding of doubles. */
export function drawBinomial(random: Random, trials: number, probability: number): number {
	if (trials === 0 || probability <= 0) return 0;
	if (probability >= 1) return trials;
	if (probability > 0.5) return trials - drawBinomial(random, trials, 1 - probability);
	return trials * probability < 10
		? drawByInversion(random, trials, probability)
		: drawByRejection(random, trials, probability);
}

/**
 * Algorithm BINV: goes up from 0 until the probabilities add up to a random fraction.
 * V. Kachitvichyanukul, B. Schmeiser (1988), Binomial random variate generation, Communications of the ACM 31(2), 216–222.
 */
function drawByInversion(random: Random, trials: number, probability: number): number {
	const odds = probability / (1 - probability);
	const none = (1 - probability) ** trials;
	for (;;) {
		let left = random.fraction();
		let share = none;
		for (let successes = 0; successes <= trials; successes++) {
			if (left <= share) return successes;
			left -= share;
			share *= ((trials + 1) / (successes + 1) - 1) * odds;
		}
		// The rounded probabilities added up to less than the fraction.
	}
}

/**
 * Algorithm BTRS: transformed rejection with squeeze, for trials × probability of 10 and more.
 * W. Hörmann (1993), The generation of binomial random variates, Journal of Statistical Computation and Simulation
 * 46(1–2), 101–110.
 */
function drawByRejection(random: Random, trials: number, probability: number): number {
	const odds = probability / (1 - probability);
	const deviation = Math.sqrt(trials * probability * (1 - probability));
	const b = 1.15 + 2.53 * deviation;
	const a = -0.0873 + 0.0248 * b + 0.01 * probability;
	const center = trials * probability + 0.5;
	const accepted = 0.92 - 4.2 / b;
	const scale = (2.83 + 5.1 / b) * deviation;
	const mode = Math.floor((trials + 1) * probability);
	for (;;) {
		const u = random.fraction() - 0.5;
		const v = random.fraction();
		const us = 0.5 - Math.abs(u);
		const successes = Math.floor(((2 * a) / us + b) * u + center);
		if (us >= 0.07 && v <= accepted) return successes;
		if (successes < 0 || successes > trials) continue;
		const height = Math.log((v * scale) / (a / (us * us) + b));
		const bound =
			(mode + 0.5) * Math.log((mode + 1) / (odds * (trials - mode + 1))) +
			(trials + 1) * Math.log((trials - mode + 1) / (trials - successes + 1)) +
			(successes + 0.5) * Math.log((odds * (trials - successes + 1)) / (successes + 1)) +
			stirlingRest(mode) +
			stirlingRest(trials - mode) -
			stirlingRest(successes) -
			stirlingRest(trials - successes);
		if (height <= bound) return successes;
	}
}

/** log k! − (½ log 2π + (k + ½) log(k + 1) − (k + 1)): what Stirling's formula leaves out. */
function stirlingRest(k: number): number {
	const rest = SMALL_RESTS[k];
	if (rest !== undefined) return rest;
	const square = (k + 1) ** 2;
	return (1 / 12 - (1 / 360 - 1 / 1_260 / square) / square) / (k + 1);
}

const SMALL_RESTS = Array.from({ length: 10 }, (_, k) => {
	let logFactorial = 0;
	for (let factor = 2; factor <= k; factor++) logFactorial += Math.log(factor);
	return logFactorial - (0.5 * Math.log(2 * Math.PI) + (k + 0.5) * Math.log(k + 1) - (k + 1));
});
