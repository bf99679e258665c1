import { bucketMs, LAST_BUCKET } from "./latency-histogram.ts";

const PAIR_BYTES = 8;

/** Shared by all histograms, since adding up is synchronous. */
const scratch = new Float64Array(LAST_BUCKET + 1);

/**
 * Latencies to be summed, for quantiles. Most points of a chart have a single blob, which is read on demand: a third of
 * the time of a map, for the 1,300 points of a week by model.
 */
export class LatencyCounts {
	#blob: Uint8Array | undefined;
	#counts: Float64Array | undefined;

	add(bucket: number, count: number): void {
		const counts = this.#all();
		counts[bucket] = (counts[bucket] ?? 0) + count;
	}

	/** @param pairs a blob as from `toBlob`, or several concatenated */
	addBlob(pairs: Uint8Array): void {
		if (this.#blob === undefined && this.#counts === undefined) this.#blob = pairs;
		else addPairs(this.#all(), pairs);
	}

	/** Quantiles in milliseconds, for shares from 0 to 1; undefined without latencies. */
	quantiles(shares: readonly number[]): number[] | undefined {
		if (this.#counts !== undefined) return quantilesOf(this.#counts, 0, LAST_BUCKET, shares);
		if (this.#blob === undefined) return undefined;
		const [first, last] = addPairs(scratch, this.#blob);
		const result = quantilesOf(scratch, first, last, shares);
		scratch.fill(0, first, last + 1);
		return result;
	}

	#all(): Float64Array {
		if (this.#counts === undefined) {
			this.#counts = new Float64Array(LAST_BUCKET + 1);
			if (this.#blob !== undefined) addPairs(this.#counts, this.#blob);
			this.#blob = undefined;
		}
		return this.#counts;
	}
}

/** Returns the first and the last bucket that had counts. */
function addPairs(counts: Float64Array, pairs: Uint8Array): [first: number, last: number] {
	const view = new DataView(pairs.buffer, pairs.byteOffset, pairs.byteLength);
	let first = LAST_BUCKET;
	let last = 0;
	for (let at = 0; at < pairs.byteLength; at += PAIR_BYTES) {
		const bucket = view.getInt32(at, true);
		counts[bucket] = (counts[bucket] ?? 0) + view.getInt32(at + 4, true);
		if (bucket < first) first = bucket;
		if (bucket > last) last = bucket;
	}
	return [first, last];
}

function quantilesOf(
	counts: Float64Array,
	first: number,
	last: number,
	shares: readonly number[],
): number[] | undefined {
	let total = 0;
	for (let bucket = first; bucket <= last; bucket += 1) total += counts[bucket] ?? 0;
	if (total === 0) return undefined;
	return shares.map((share) => {
		const rank = Math.max(1, Math.ceil(share * total));
		let bucket = first;
		for (let seen = counts[first] ?? 0; seen < rank && bucket < last; seen += counts[bucket] ?? 0) bucket += 1;
		return bucketMs(bucket);
	});
}
