import type { Experiment } from "@spanward/client";

/** Names of the experiments' metrics, those that most experiments have first. */
export function metricNames(experiments: readonly Pick<Experiment, "scores">[]): string[] {
	const counts = new Map<string, number>();
	for (const { scores } of experiments)
		for (const name of Object.keys(scores)) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts.entries()]
		.toSorted(([a, many], [b, more]) => more - many || a.localeCompare(b))
		.map(([name]) => name);
}

/** With fewer examples, a standard error means little, and the server answers no interval. */
const FEWEST_FOR_ERROR = 10;

/** The standard error of a mean; null with too few examples. */
export function errorOf(score: Experiment["scores"][string] | undefined): number | null {
	return score === undefined || score.count < FEWEST_FOR_ERROR ? null : score.standard_error;
}

export interface Spread {
	readonly low: number;
	readonly high: number;
}

/**
 * The mean with its standard error to both sides; null with too few examples. It stays between 0 and 1 where all scores
 * may do so, as far as their deviation tells.
 * Source: Bhatia and Davis, "A Better Bound on the Variance", 2000: of n values between 0 and 1 the standard error is at
 * most √(mean (1 − mean) / (n − 1)).
 */
export function spreadOf(score: Experiment["scores"][string] | undefined): Spread | null {
	const error = errorOf(score);
	if (score === undefined || error === null) return null;
	const { mean, count } = score;
	const low = mean - error;
	const high = mean + error;
	if (mean < 0 || mean > 1 || error ** 2 > (mean * (1 - mean)) / (count - 1) + Number.EPSILON) return { low, high };
	return { low: Math.max(0, low), high: Math.min(1, high) };
}

/** The largest value that a bar of the metric can show: 1 for the usual scores from 0 to 1. */
export function metricMaximum(experiments: readonly Pick<Experiment, "scores">[], name: string): number {
	return Math.max(1, ...experiments.map(({ scores }) => scores[name]?.mean ?? 0));
}

/** A score with its significant digits: 0.875, 12.3, 0. */
export function formatScore(value: number | null | undefined): string {
	if (value === null || value === undefined || !Number.isFinite(value)) return "–";
	if (Number.isInteger(value)) return String(value);
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
	const text = value.toFixed(digits);
	return Number(text) === 0 ? value.toPrecision(2) : text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

/** As `formatScore`, with as many digits as the others of a column: 0.50, 1.00. */
export function formatScoreInColumn(value: number): string {
	const size = Math.abs(value);
	return size === 0 || (size < 10 && size >= 0.005) ? value.toFixed(2) : formatScore(value);
}

/** +0.25, −0.5, 0 */
export function formatDelta(delta: number): string {
	if (delta === 0) return "0";
	return `${delta > 0 ? "+" : "−"}${formatScore(Math.abs(delta))}`;
}
