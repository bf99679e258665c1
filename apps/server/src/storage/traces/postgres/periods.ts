/**
 * Spans, their blocks and the groups of their text signatures are partitioned by the start of the spans: by month, and
 * by day where months are large. All times are microseconds since 1970, in UTC.
 *
 * A block belongs to one month or to one day, which its column `month` names: a month by its first microsecond, a day
 * by its last one, so that no day has the number of a month. Blocks of a month may hold spans of all its days, also
 * where it is partitioned by day: those of a server that did not know of that yet are among them.
 */
export const DAY_MICROS = 86_400_000_000;

/** What a partition covers: from the first microsecond to before the last one. */
export interface Period {
	readonly from: number;
	readonly to: number;
}

/** The month found last: consecutive spans are mostly of the same month. */
let latest: Period = { from: 0, to: 0 };

/** The month of a time, as its first microsecond. */
export function monthOf(micros: number): number {
	if (micros < latest.from || micros >= latest.to) {
		const date = new Date(Math.floor(micros / 1_000));
		const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1_000;
		latest = { from, to: monthsAfter(from, 1) };
	}
	return latest.from;
}

/** The first microsecond of the month that is `count` months after the one that begins at `month`. */
export function monthsAfter(month: number, count: number): number {
	const date = new Date(month / 1_000);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1) * 1_000;
}

/** The day of a time, as its first microsecond. */
export function dayOf(micros: number): number {
	return Math.floor(micros / DAY_MICROS) * DAY_MICROS;
}

/** What blocks of the day of a time have in their column `month`. */
export function keyOfDay(micros: number): number {
	return dayOf(micros) + DAY_MICROS - 1;
}

/** What `month` may be for blocks with spans of these times, or of the periods that have these keys. */
export function keysOfBlocks(micros: Iterable<number>): number[] {
	const keys = new Set<number>();
	for (const time of micros) keys.add(monthOf(time)).add(keyOfDay(time));
	return [...keys];
}

/** The period whose spans a block may hold. @param key its `month` */
export function periodOfKey(key: number): Period {
	return key % DAY_MICROS === 0 ? { from: key, to: monthsAfter(key, 1) } : { from: dayOf(key), to: key + 1 };
}

/** As `periodOfKey`, as SQL that PostgreSQL can prune partitions by; the end may be later, by up to three days. */
export function periodOfKeySql(key: string): { readonly from: string; readonly to: string } {
	return {
		from: `${key} - ${key} % ${DAY_MICROS}`,
		to: `case when ${key} % ${DAY_MICROS} = 0 then ${key} + ${31 * DAY_MICROS} else ${key} + 1 end`,
	};
}
