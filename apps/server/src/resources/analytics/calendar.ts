import { UserError } from "#base/errors.ts";
import { refuseValue } from "./refuse-value.ts";

/**
 * Ranges of time and their buckets by the calendar of a time zone: days of 23 or 25 hours where clocks change, hours that
 * begin at half past in UTC where the zone is so far off it.
 */

export const BUCKETS = ["minute", "5_minutes", "15_minutes", "hour", "6_hours", "day", "week", "month"] as const;
export type Bucket = (typeof BUCKETS)[number];

export const NAMED_RANGES = ["today", "yesterday", "this_week", "last_week", "this_month", "last_month"] as const;
export const COMPARISONS = ["previous_period", "previous_day", "previous_week", "previous_month"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Buckets of one answer. */
export const MOST_BUCKETS = 2_000;
/** Of `auto`. */
const MOST_OF_AUTO = 120;
const MOST_DAYS = 1_826;

const MINUTES: Readonly<Record<Bucket, number>> = {
	minute: 1,
	"5_minutes": 5,
	"15_minutes": 15,
	hour: 60,
	"6_hours": 360,
	day: 1_440,
	week: 10_080,
	month: 43_200,
};
const MINUTE_MICROS = 60_000_000;

/** Microseconds since 1970; the end is exclusive. */
export interface TimeSpan {
	readonly startMicros: number;
	readonly endMicros: number;
}

/** The moment as the clock of a zone shows it. @throws UserError 422 `invalid_time_zone` */
export function zoned(micros: number, timeZone: string): Temporal.ZonedDateTime {
	try {
		return Temporal.Instant.fromEpochNanoseconds(BigInt(Math.round(micros)) * 1_000n).toZonedDateTimeISO(timeZone);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw refuseValue(
			"invalid_time_zone",
			"time_zone",
			"Input should be the name of a time zone, such as Europe/Berlin",
		);
	}
}

function microsOf(time: Temporal.ZonedDateTime): number {
	return Number(time.epochNanoseconds / 1_000n);
}

/**
 * `15m`, `24h`, `7d` up to now, or the name of a range of the calendar; those that have not ended end now.
 * @throws UserError 422
 */
export function readRange(text: string, nowMicros: number, timeZone: string): TimeSpan {
	const now = zoned(nowMicros, timeZone);
	const [, count, unit] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
	if (count !== undefined) {
		const minutes = Number(count) * (unit === "m" ? 1 : unit === "h" ? 60 : 1_440);
		if (minutes >= 1 && minutes <= MOST_DAYS * 1_440)
			return { startMicros: nowMicros - minutes * MINUTE_MICROS, endMicros: nowMicros };
	}
	const today = now.startOfDay();
	const week = today.subtract({ days: today.dayOfWeek - 1 });
	const month = today.with({ day: 1 });
	const between = (start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime) => ({
		startMicros: microsOf(start),
		endMicros: microsOf(end),
	});
	switch (text) {
		case "today":
			return between(today, now);
		case "yesterday":
			return between(today.subtract({ days: 1 }), today);
		case "this_week":
			return between(week, now);
		case "last_week":
			return between(week.subtract({ weeks: 1 }), week);
		case "this_month":
			return between(month, now);
		case "last_month":
			return between(month.subtract({ months: 1 }), month);
		default:
			throw refuseValue(
				"invalid_range",
				"range",
				`Input should be a number with m, h or d, such as 15m, 24h or 7d, of at most ${MOST_DAYS} days, or ${NAMED_RANGES.join(", ")}`,
			);
	}
}

/** The bucket for a range: the narrowest of which there are at most 120. @param buckets those to choose from, ascending */
export function autoBucket({ startMicros, endMicros }: TimeSpan, buckets: readonly Bucket[] = BUCKETS): Bucket {
	const minutes = (endMicros - startMicros) / MINUTE_MICROS;
	return buckets.find((bucket) => minutes / MINUTES[bucket] <= MOST_OF_AUTO - 1) ?? "month";
}

/**
 * Where the buckets of a range begin, and its end; the first and the last one are cut to the range.
 * @throws UserError 422 `too_many_buckets`
 */
export function edgesOf(range: TimeSpan, bucket: Bucket | "none", timeZone: string): number[] {
	const { startMicros, endMicros } = range;
	if (bucket === "none") return [startMicros, endMicros];
	if ((endMicros - startMicros) / MINUTE_MICROS / MINUTES[bucket] > MOST_BUCKETS) {
		throw new UserError(
			422,
			"too_many_buckets",
			`The range has more than ${MOST_BUCKETS} buckets of ${bucket}; take a larger \`bucket\` or a shorter range.`,
		);
	}
	const edges = [startMicros];
	let at = bucketAt(zoned(startMicros, timeZone), bucket);
	for (;;) {
		at = nextBucket(at, bucket);
		const micros = microsOf(at);
		if (micros >= endMicros) break;
		edges.push(micros);
	}
	return [...edges, endMicros];
}

/** The start of the bucket that holds a time. */
function bucketAt(time: Temporal.ZonedDateTime, bucket: Bucket): Temporal.ZonedDateTime {
	switch (bucket) {
		case "month":
			return time.with({ day: 1 }).startOfDay();
		case "week":
			return time.subtract({ days: time.dayOfWeek - 1 }).startOfDay();
		case "day":
			return time.startOfDay();
		case "6_hours":
			return ofDay(time, Math.floor(time.hour / 6));
		default: {
			const roundingIncrement = bucket === "hour" ? 1 : MINUTES[bucket];
			return time.round({
				smallestUnit: bucket === "hour" ? "hour" : "minute",
				roundingIncrement,
				roundingMode: "floor",
			});
		}
	}
}

function nextBucket(start: Temporal.ZonedDateTime, bucket: Bucket): Temporal.ZonedDateTime {
	switch (bucket) {
		case "month":
			return start.add({ months: 1 });
		case "week":
			return start.add({ weeks: 1 });
		case "day":
			return start.add({ days: 1 });
		case "6_hours": {
			const quarter = Math.round(start.hour / 6) + 1;
			return quarter === 4 ? start.startOfDay().add({ days: 1 }) : ofDay(start, quarter);
		}
		default:
			return start.add({ minutes: MINUTES[bucket] });
	}
}

/** A quarter of a day as the clock shows it, six hours long but where it is put forward or back. */
function ofDay(time: Temporal.ZonedDateTime, quarter: number): Temporal.ZonedDateTime {
	return time
		.startOfDay()
		.toPlainDate()
		.toZonedDateTime({
			timeZone: time.timeZoneId,
			plainTime: { hour: quarter * 6 },
		});
}

/** The same edges a day, week or month earlier by the calendar, or one length of the range. */
export function comparedEdges(edges: readonly number[], comparison: Comparison, timeZone: string): number[] {
	const back = distance(edges, comparison, timeZone);
	return edges.map((edge) => (typeof back === "number" ? edge - back : microsOf(zoned(edge, timeZone).subtract(back))));
}

/** Whole months or days where the range is such, else microseconds. */
function distance(edges: readonly number[], comparison: Comparison, timeZone: string): Temporal.DurationLike | number {
	if (comparison === "previous_day") return { days: 1 };
	if (comparison === "previous_week") return { weeks: 1 };
	if (comparison === "previous_month") return { months: 1 };
	const [startMicros = 0, endMicros = 0] = [edges[0], edges.at(-1)];
	const [start, end] = [zoned(startMicros, timeZone), zoned(endMicros, timeZone)];
	if (start.toPlainTime().equals(end.toPlainTime())) {
		if (start.day === 1 && end.day === 1 && start.hour === 0)
			return { months: start.until(end, { largestUnit: "months" }).months };
		return { days: start.until(end, { largestUnit: "days" }).days };
	}
	return endMicros - startMicros;
}
