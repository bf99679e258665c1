import type { Analytics } from "@spanward/client";

const MINUTE = 60_000;
/** Usual lengths in milliseconds: days and months differ where clocks or the calendar do. */
const LENGTHS: Readonly<Record<string, number>> = {
	minute: MINUTE,
	"5_minutes": 5 * MINUTE,
	"15_minutes": 15 * MINUTE,
	hour: 60 * MINUTE,
	"6_hours": 360 * MINUTE,
	day: 1_440 * MINUTE,
	week: 10_080 * MINUTE,
	month: 43_200 * MINUTE,
};

/** Buckets in milliseconds since 1970; the end is exclusive. */
export interface BucketTimes {
	readonly starts: readonly number[];
	readonly ends: readonly number[];
	/** Where they are drawn: the first one as long as the others, though the range may cut it. */
	readonly drawn: readonly number[];
	/** Where the last one ends in the drawing. */
	readonly drawnEnd: number;
}

/** The bucket whose drawing begins last before a time in milliseconds: bars and cells lie to the right of that. */
export function bucketAt({ drawn }: Pick<BucketTimes, "drawn">, time: number): number {
	return Math.max(
		0,
		drawn.findLastIndex((start) => start <= time),
	);
}

export function bucketTimes({ bucket, buckets }: Pick<Analytics, "bucket" | "buckets">): BucketTimes {
	const starts = buckets.map(({ start_time }) => Date.parse(start_time));
	const ends = buckets.map(({ end_time }) => Date.parse(end_time));
	const length = LENGTHS[bucket] ?? Math.max(1, (ends[0] ?? 0) - (starts[0] ?? 0));
	const [first = 0, second] = starts;
	const isCut = second !== undefined && second - first < length * 0.9;
	return {
		starts,
		ends,
		drawn: isCut ? [second - length, ...starts.slice(1)] : starts,
		drawnEnd: Math.max(ends.at(-1) ?? 0, (starts.at(-1) ?? 0) + length),
	};
}
