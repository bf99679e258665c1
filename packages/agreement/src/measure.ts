import type { Estimate, Interval } from "./model.ts";

/** With fewer pairs of answers there is no number. */
export const MIN_PAIRS = 10;

/** Of items that have each pattern so and so often; NaN where it is undefined. */
export type Statistic = (weights: Uint32Array) => number;

/** A statistic of the items, and what it is in each resample of them. */
export class Measure {
	readonly #statistic: Statistic;
	readonly #pairs: number;
	readonly #value: number;
	readonly #resampled: number[] = [];

	/** @param counts how many items have each pattern @param pairs how many pairs of answers the statistic is of */
	constructor(statistic: Statistic, counts: Uint32Array, pairs: number) {
		this.#statistic = statistic;
		this.#pairs = pairs;
		this.#value = pairs < MIN_PAIRS ? Number.NaN : statistic(counts);
	}

	/** Whether there is a number, and resamples are wanted. */
	get isMeasured(): boolean {
		return !Number.isNaN(this.#value);
	}

	addResample(weights: Uint32Array): void {
		const value = this.#statistic(weights);
		if (!Number.isNaN(value)) this.#resampled.push(value);
	}

	estimate(): Estimate {
		const pairs = this.#pairs;
		if (pairs < MIN_PAIRS) return { state: "too_few", pairs };
		if (!this.isMeasured) return { state: "undefined", reason: "one_category", pairs };
		const interval = intervalOf(this.#resampled);
		return { state: "measured", value: this.#value, ...(interval === undefined ? {} : { interval }), pairs };
	}
}

function intervalOf(values: readonly number[]): Interval | undefined {
	if (values.length === 0) return undefined;
	const sorted = Float64Array.from(values).sort();
	return { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975), resamples: sorted.length };
}

/** Linear between the two nearest, as numpy.quantile: definition 7 of R. J. Hyndman, Y. Fan (1996), Sample quantiles in
 * statistical packages, The American Statistician 50(4), 361–365. */
export function quantile(sorted: Float64Array, share: number): number {
	const place = (sorted.length - 1) * share;
	const below = sorted[Math.floor(place)] ?? Number.NaN;
	const above = sorted[Math.ceil(place)] ?? below;
	return below + (above - below) * (place - Math.floor(place));
}
