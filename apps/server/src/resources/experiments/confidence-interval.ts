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
	const z = -NORMAL;
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
const NORMAL = -1.959963984540054;

/** The two-sided 5 % point of Student's t: Hill, Algorithm 396, Communications of the ACM 13 (1970), p. 619. */
export function studentT95(degrees: number): number {
	const n = degrees;
	if (n === 1) return 1 / Math.tan((P * Math.PI) / 2);
	if (n === 2) return Math.sqrt(2 / (P * (2 - P)) - 2);
	const a = 1 / (n - 0.5);
	const b = 48 / a ** 2;
	let c = ((20_700 * a) / b - 98) * a ** 2 - 16 * a + 96.36;
	const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
	let y = (d * P) ** (2 / n);
	if (y > 0.05 + a) {
		const x = NORMAL;
		y = x ** 2;
		if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
		c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
		y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
		y = a * y ** 2;
		y = y > 0.002 ? Math.exp(y) - 1 : 0.5 * y ** 2 + y;
	} else {
		y =
			((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * ((n + 1) / (n + 2)) +
			1 / y;
	}
	return Math.sqrt(n * y);
}
