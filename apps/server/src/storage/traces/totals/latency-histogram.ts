/**
 * Latencies in buckets that grow by 8 %, so that a quantile read from them is within 4 % of the true one. Kept as a
 * blob of pairs (bucket, count), 4 bytes each, little endian, by bucket; empty buckets are left out.
 */
const GROWTH = 1.08;
const LOG_GROWTH = Math.log(GROWTH);

export type Histogram = Map<number, number>;

/** The bucket of a latency; clocks that ran backwards count as zero. */
export function latencyBucket(micros: number): number {
	return micros < 1 ? 0 : 1 + Math.floor(Math.log(micros) / LOG_GROWTH);
}

/** Of the longest latency that is a whole number of microseconds. */
const LAST_BUCKET = latencyBucket(Number.MAX_SAFE_INTEGER);

/** A latency that is within 4 % of every latency of the bucket, in milliseconds. */
function bucketMs(bucket: number): number {
	return bucket === 0 ? 0 : (GROWTH ** (bucket - 1) * (2 * GROWTH)) / (1 + GROWTH) / 1_000;
}

export function addTo(histogram: Histogram, bucket: number, count: number): void {
	const sum = (histogram.get(bucket) ?? 0) + count;
	if (sum === 0) histogram.delete(bucket);
	else histogram.set(bucket, sum);
}

export function addBlobTo(histogram: Histogram, blob: Uint8Array): void {
	const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
	for (let at = 0; at < blob.byteLength; at += 8)
		addTo(histogram, view.getInt32(at, true), view.getInt32(at + 4, true));
}

/** Adds a blob that is several ones after each other, in which a bucket comes up often. */
export function addBlobsTo(histogram: Histogram, blobs: Uint8Array): void {
	const view = new DataView(blobs.buffer, blobs.byteOffset, blobs.byteLength);
	const counts = new Float64Array(LAST_BUCKET + 1);
	for (let at = 0; at < blobs.byteLength; at += 8) {
		const bucket = view.getInt32(at, true);
		counts[bucket] = (counts[bucket] ?? 0) + view.getInt32(at + 4, true);
	}
	for (let bucket = 0; bucket <= LAST_BUCKET; bucket += 1) {
		const count = counts[bucket] ?? 0;
		if (count !== 0) addTo(histogram, bucket, count);
	}
}

export function toBlob(histogram: Histogram): Uint8Array {
	const pairs = [...histogram].sort(([a], [b]) => a - b);
	const blob = new Uint8Array(pairs.length * 8);
	const view = new DataView(blob.buffer);
	for (const [index, [bucket, count]] of pairs.entries()) {
		view.setInt32(index * 8, bucket, true);
		view.setInt32(index * 8 + 4, count, true);
	}
	return blob;
}

/** The latencies in milliseconds below which the given shares of all lie; undefined when there are none. */
export function quantiles(histogram: Histogram, shares: readonly number[]): number[] | undefined {
	const pairs = [...histogram].sort(([a], [b]) => a - b);
	const total = pairs.reduce((sum, [, count]) => sum + count, 0);
	if (total === 0) return undefined;
	return shares.map((share) => {
		const rank = Math.max(1, Math.ceil(share * total));
		let seen = 0;
		for (const [bucket, count] of pairs) {
			seen += count;
			if (seen >= rank) return bucketMs(bucket);
		}
		return bucketMs(pairs.at(-1)?.[0] ?? 0);
	});
}
