import { studentT95 } from "#base/statistics/student-t.ts";
import type { ScoreTotals } from "./totals.ts";

/** With fewer examples, an interval would suggest more certainty than there is. */
export const FEWEST_FOR_INTERVAL = 10;
/** Up to this number of examples the interval is computed by resampling their scores. */
export const MOST_RESAMPLED = 250;
const RESAMPLES = 2_000;

/**
 * 95 % confidence interval of a mean over examples, within the lowest and highest score; undefined for fewer than
 * {@link FEWEST_FOR_INTERVAL}. The same scores have the same interval each time.
 *
 * - Scores that are all 0 or 1: Wilson's (JASA 22 (1927), p. 209), within 0 and 1.
 * - Others, up to {@link MOST_RESAMPLED} examples: percentiles of the means of resampled examples (bootstrap).
 * - More: Student's t, which such means then follow closely, clipped to the lowest and highest score.
 *
 * Repetitions of one example are not independent, so an example counts once, with the mean of its repetitions: Miller,
 * "Adding Error Bars to Evals" (arXiv:2411.00640), 3.1.
 * @param scores the means of the examples, in any order; needed where {@link needsScores}
 */
export function confidenceInterval(totals: ScoreTotals, scores: readonly number[] = []): [number, number] | undefined {
	const { mean, count, standardError, lowest, highest, isBinary } = totals;
	if (count < FEWEST_FOR_INTERVAL || standardError === null) return undefined;
	if (isBinary) return wilson(mean, count);
	if (needsScores(totals) && scores.length === count) return bootstrap(scores);
	const half = studentT95(count - 1) * standardError;
	return [Math.max(lowest, mean - half), Math.min(highest, mean + half)];
}

/** Whether {@link confidenceInterval} needs the scores themselves, for resampling. */
export function needsScores({ count, isBinary }: ScoreTotals): boolean {
	return !isBinary && count >= FEWEST_FOR_INTERVAL && count <= MOST_RESAMPLED;
}

function wilson(share: number, count: number): [number, number] {
	const z = NORMAL;
	const middle = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
	const half = (z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))) / (1 + z ** 2 / count);
	// At 0 and 1, a rounding error would put the bound outside.
	return [share === 0 ? 0 : Math.max(0, middle - half), share === 1 ? 1 : Math.min(1, middle + half)];
}

function bootstrap(scores: readonly number[]): [number, number] {
	const sorted = Float64Array.from(scores).sort();
	const next = randomFrom(sorted.length);
	const means = new Float64Array(RESAMPLES);
	for (let index = 0; index < RESAMPLES; index += 1) {
		let sum = 0;
		for (let drawn = 0; drawn < sorted.length; drawn += 1) sum += sorted[next() % sorted.length] ?? 0;
		means[index] = sum / sorted.length;
	}
	means.sort();
	const [lowest, highest] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
	const at = (share: number) => means[Math.round(share * (RESAMPLES - 1))] ?? 0;
	return [Math.max(lowest, at(P / 2)), Math.min(highest, at(1 - P / 2))];
}

/** Pseudo-random integers below 2 ** 32: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (2003). */
function randomFrom(seed: number): () => number {
	let state = (seed * 0x9e37_79b1) | 1;
	return () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return state >>> 0;
	};
}

/** Two-sided 5 %, and the corresponding quantile of the normal distribution. */
const P = 0.05;
const NORMAL = 1.959963984540054;
