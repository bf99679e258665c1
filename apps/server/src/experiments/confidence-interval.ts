import type { ScoreTotals } from "./totals.ts";

/**
 * 95 % confidence interval of a mean over examples; undefined for fewer than two.
 *
 * Repetitions of one example are not independent, so an example counts once, with the mean of its repetitions: Miller,
 * "Adding Error Bars to Evals" (arXiv:2411.00640), 3.1. Few examples make the error of the mean itself uncertain; Student's t
 * with `count - 1` degrees of freedom allows for it.
 */
export function confidenceInterval({ mean, count, standardError }: ScoreTotals): [number, number] | undefined {
	if (standardError === null) return undefined;
	const half = studentT95(count - 1) * standardError;
	return [mean - half, mean + half];
}

/** Two-sided 5 %, and the quantile of the normal distribution that belongs to it. */
const P = 0.05;
const NORMAL = -1.959963984540054;

/** The value that Student's t stays within with 95 %: Hill, Algorithm 396, Communications of the ACM 13 (1970), p. 619. */
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
