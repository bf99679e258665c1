/**
 * Latencies in buckets that grow by 8 %, so that a quantile is within 4 % of the true one. Stored as a blob of pairs
 * (bucket, count), 4 bytes each, little-endian, by bucket; empty buckets are left out.
 */
const GROWTH = 1.08;
const LOG_GROWTH = Math.log(GROWTH);

export type Histogram = Map<number, number>;

/** The bucket of a latency; negative latencies count as zero. */
export function latencyBucket(micros: number): number {
	return micros < 1 ? 0 : 1 + Math.floor(Math.log(micros) / LOG_GROWTH);
}

/** The bucket of the longest latency that is an exact number of microseconds. */
export const LAST_BUCKET = latencyBucket(Number.MAX_SAFE_INTEGER);

/** The representative latency of a bucket, in milliseconds, within 4 % of all latencies in it. */
export function bucketMs(bucket: number): number {
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

export function toBlob(histogram: ReadonlyMap<number, number>): Uint8Array {
	const buckets = Int32Array.from(histogram.keys()).sort();
	const blob = new Uint8Array(buckets.length * 8);
	const view = new DataView(blob.buffer);
	let at = 0;
	for (const bucket of buckets) {
		view.setInt32(at, bucket, true);
		view.setInt32(at + 4, histogram.get(bucket) ?? 0, true);
		at += 8;
	}
	return blob;
}
