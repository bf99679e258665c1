import { UserError } from "#base/errors.ts";
import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import { readRange, zoned } from "./calendar.ts";
import { refuseValue } from "./refuse-value.ts";

export const DAY_MICROS = 86_400_000_000;

export interface AskedRange {
	/** As `readRange` takes it. */
	readonly range?: string | undefined;
	readonly start_time?: number | undefined;
	readonly end_time?: number | undefined;
	readonly time_zone: string;
}

/**
 * The range of a question; so long up to now, or to its end, where it names none.
 * @throws ValidationError `invalid_range`, UserError 422 `invalid_range`, `invalid_time_zone`
 */
export function rangeOf(asked: AskedRange, nowMicros: number, elseMicros = DAY_MICROS): Range {
	const { range, start_time: start, end_time: end, time_zone: timeZone } = asked;
	if (range !== undefined) {
		if (start !== undefined || end !== undefined)
			throw refuseValue("invalid_range", "range", "Input should be absent where start_time or end_time is given");
		return readRange(range, nowMicros, timeZone);
	}
	zoned(nowMicros, timeZone);
	const endMicros = end ?? nowMicros;
	const startMicros = start ?? endMicros - elseMicros;
	if (startMicros >= endMicros) {
		throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
	}
	return { startMicros, endMicros };
}
