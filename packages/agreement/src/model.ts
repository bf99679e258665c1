/** A label, or a number. */
export type Value = string | number;

/** What one rater said of one item. */
export interface Answer {
	readonly rater: string;
	readonly value: Value;
}

/** All answers to one question about one item, of each rater one at most. Who did not answer is left out. */
export type Item = readonly Answer[];

/**
 * How far apart two values are: `nominal`: equal or not; `ordinal`: by the ranks between them; `interval`: by their
 * difference. Ordinal and interval values are numbers: for labels with an order their scores.
 */
export type Level = "nominal" | "ordinal" | "interval";

/** 95 %, by the percentile method. */
export interface Interval {
	readonly low: number;
	readonly high: number;
	/** How many resamples it was taken from: those in which the statistic is defined. */
	readonly resamples: number;
}

/** A statistic, or why there is none. `pairs`: how many pairs of answers to the same item it is of. */
export type Estimate =
	| {
			readonly state: "measured";
			readonly value: number;
			/** Absent where the statistic is defined in no resample. */
			readonly interval?: Interval;
			readonly pairs: number;
	  }
	/** Fewer than `MIN_PAIRS`. */
	| { readonly state: "too_few"; readonly pairs: number }
	/** All answers are the same: agreement by chance alone is complete, and a statistic that corrects for it is 0/0. */
	| { readonly state: "undefined"; readonly reason: "one_category"; readonly pairs: number };

export interface BootstrapOptions {
	/** An integer. The same answers and seed give the same intervals, in whichever order the items come. 1 by default. */
	readonly seed?: number;
	/** 2,000 by default. */
	readonly resamples?: number;
}

/**
 * Work in steps of some milliseconds: each `next()` does one. What it returns at last is the result. The steps are the
 * same however they are run: `runInOneGo`, `runInSlices`, or a loop of the caller's.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;
