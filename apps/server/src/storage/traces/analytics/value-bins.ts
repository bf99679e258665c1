/**
 * Numbers in bins that grow by 8 %, so that a quantile is within 4 % of the true one, as in `latency-histogram.ts`. Bins
 * of negative numbers are negative; 0 is a bin of its own. The order of bins is that of their numbers.
 */
const GROWTH = 1.08;
const LOG_GROWTH = Math.log(GROWTH);
/** Above the bin of the smallest positive number, 5e-324. */
const FIRST = 10_000;

export function binOf(value: number): number {
	if (value === 0) return 0;
	const bin = FIRST + Math.floor(Math.log(Math.abs(value)) / LOG_GROWTH);
	return value < 0 ? -bin : bin;
}

/** The number that stands for a bin. */
export function numberOfBin(bin: number): number {
	if (bin === 0) return 0;
	const size = GROWTH ** (Math.abs(bin) - FIRST) * ((2 * GROWTH) / (1 + GROWTH));
	return bin < 0 ? -size : size;
}

/** The bin of the same numbers as a bucket of `latency-histogram.ts`. */
export function binOfLatencyBucket(bucket: number): number {
	return bucket === 0 ? 0 : FIRST + bucket - 1;
}
