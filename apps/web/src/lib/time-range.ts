import { texts } from "../texts/en.ts";
import { isNamedRange, type NamedRange } from "./range-names.ts";
import { textParam } from "./search-params.ts";
import { formatTime, startOfDay } from "./time.ts";

/**
 * A time range in the address. `from`: `24h` (counted back from now), the name of a range of the calendar such as
 * `this_week`, an ISO time, or `all`; absent: the default of the page, which is all time for lists (so that nothing is
 * hidden). `to`: an ISO time; absent: now.
 */
export interface TimeRangeSearch {
	from?: string;
	to?: string;
}

/** The default start of charts. */
const CHART_FROM = "7d";
export const PRESETS = ["15m", "1h", "6h", "24h", "7d", "30d", "90d"] as const;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function span(text: string): { count: number; unit: keyof typeof UNIT_MS } | undefined {
	const match = /^(\d{1,5})([mhd])$/.exec(text);
	if (!match) return undefined;
	const unit = match[2] === "m" ? "m" : match[2] === "h" ? "h" : "d";
	return { count: Number(match[1]), unit };
}

function isTime(text: string): boolean {
	return !Number.isNaN(Date.parse(text));
}

export function parseTimeRange(search: Record<string, unknown>): TimeRangeSearch {
	const from = textParam(search["from"]);
	const to = textParam(search["to"]);
	return {
		...(from && (from === "all" || span(from) || isNamedRange(from) || isTime(from)) ? { from } : {}),
		...(to && isTime(to) ? { to } : {}),
	};
}

/** The range of a page with charts: by default a week. */
export function chartRange({ from, to }: TimeRangeSearch, standard = CHART_FROM): TimeRangeSearch {
	return { from: from ?? standard, ...(to ? { to } : {}) };
}

/** Bounds in milliseconds since 1970; an absent bound is open. */
export interface ResolvedRange {
	readonly from: number | undefined;
	readonly to: number | undefined;
}

/** The bounds of a range now. Relative starts are rounded to the minute, so that equal views share a cache entry. */
export function resolveRange(search: TimeRangeSearch, now = Date.now()): ResolvedRange {
	const from = search.from ?? "all";
	const to = search.to === undefined ? undefined : Date.parse(search.to);
	if (from === "all") return { from: undefined, to };
	if (isNamedRange(from)) {
		const named = resolveNamed(from, now);
		return { from: named.from, to: to ?? named.to };
	}
	const back = span(from);
	if (!back) return { from: Date.parse(from), to };
	const start = (to ?? now) - back.count * UNIT_MS[back.unit];
	return { from: Math.floor(start / 60_000) * 60_000, to };
}

function resolveNamed(name: NamedRange, now: number): ResolvedRange {
	const weekday = (startOfDay(now).weekday + 6) % 7;
	switch (name) {
		case "today":
			return { from: startOfDay(now).time, to: undefined };
		case "yesterday":
			return { from: startOfDay(now, { days: -1 }).time, to: startOfDay(now).time };
		case "this_week":
			return { from: startOfDay(now, { days: -weekday }).time, to: undefined };
		case "last_week":
			return {
				from: startOfDay(now, { days: -weekday - 7 }).time,
				to: startOfDay(now, { days: -weekday }).time,
			};
		case "this_month":
			return { from: startOfDay(now, { ofMonth: true }).time, to: undefined };
		case "last_month":
			return {
				from: startOfDay(now, { ofMonth: true, months: -1 }).time,
				to: startOfDay(now, { ofMonth: true }).time,
			};
	}
}

/** The bounds as parameters of a request. */
export function rangeQuery(search: TimeRangeSearch): { start_time?: string; end_time?: string } {
	const { from, to } = resolveRange(search);
	return {
		...(from === undefined ? {} : { start_time: new Date(from).toISOString() }),
		...(to === undefined ? {} : { end_time: new Date(to).toISOString() }),
	};
}

/** The range in words for its button. */
export function rangeLabel(search: TimeRangeSearch): string {
	const from = search.from ?? "all";
	const back = span(from);
	if (from === "all") return search.to ? texts.time.until(formatTime(search.to)) : texts.time.all;
	if (isNamedRange(from) && !search.to) return texts.time.named[from];
	if (back && !search.to) return texts.time.last(texts.time.unit[back.unit](back.count));
	const { from: start } = resolveRange(search);
	if (!search.to) return texts.time.since(formatTime(start));
	return texts.time.range(formatTime(start), formatTime(search.to));
}

export type Bucket = "minute" | "hour" | "day";

/** The bucket that gives a readable number of points (at most about 400). */
export function bucketFor(from: number, to: number): Bucket {
	const length = to - from;
	if (length <= 6 * 3_600_000) return "minute";
	return length <= 16 * 86_400_000 ? "hour" : "day";
}

export const BUCKET_MS: Record<Bucket, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
