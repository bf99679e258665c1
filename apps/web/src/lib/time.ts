import { useSyncExternalStore } from "react";
import { UNKNOWN } from "./format.ts";
import { localSetting } from "./local-setting.ts";
import { useLocalSetting } from "./use-local-setting.ts";

/** Times are shown in the browser's zone or in UTC, by one switch. */
const zoneSetting = localSetting("time-zone");

export function useTimeZone(): ["local" | "utc", (zone: "local" | "utc") => void] {
	const [zone, set] = useLocalSetting(zoneSetting);
	return [zone === "utc" ? "utc" : "local", (value) => set(value === "utc" ? value : undefined)];
}

/** One formatter for each zone that is shown: making one takes longer than drawing a row of a list. */
function perZone(options: Intl.DateTimeFormatOptions): () => Intl.DateTimeFormat {
	const formats = new Map<string | undefined, Intl.DateTimeFormat>();
	return () => {
		const zone = zoneSetting.get();
		const known = formats.get(zone);
		if (known) return known;
		const format = new Intl.DateTimeFormat("en", { ...options, ...(zone === "utc" ? { timeZone: "UTC" } : {}) });
		formats.set(zone, format);
		return format;
	};
}

const zoneFormat = perZone({ timeZoneName: "short" });
const monthFormat = perZone({ month: "short" });

/** The name of the zone that times are shown in, such as Europe/Berlin. */
export function shownTimeZone(): string {
	return zoneSetting.get() === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The moment at which a day begins in the zone that is shown, and its weekday, 0 for Sunday. */
export function startOfDay(
	time: number,
	{ days = 0, months = 0, ofMonth = false }: { days?: number; months?: number; ofMonth?: boolean } = {},
): { readonly time: number; readonly weekday: number } {
	const date = new Date(time);
	if (zoneSetting.get() === "utc") {
		const day = ofMonth ? 1 : date.getUTCDate();
		const start = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, day + days));
		return { time: start.getTime(), weekday: start.getUTCDay() };
	}
	const day = ofMonth ? 1 : date.getDate();
	const start = new Date(date.getFullYear(), date.getMonth() + months, day + days);
	return { time: start.getTime(), weekday: start.getDay() };
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}

function parts(date: Date): { year: number; month: number; day: number; time: string; millis: string } {
	const utc = zoneSetting.get() === "utc";
	const [year, month, day] = utc
		? [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
		: [date.getFullYear(), date.getMonth() + 1, date.getDate()];
	const [hour, minute, second, ms] = utc
		? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()]
		: [date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()];
	return {
		year,
		month,
		day,
		time: `${two(hour)}:${two(minute)}:${two(second)}`,
		millis: String(ms).padStart(3, "0"),
	};
}

function valid(time: string | number | Date | null | undefined): Date | undefined {
	if (time === null || time === undefined) return undefined;
	const date = new Date(time);
	return Number.isNaN(date.getTime()) ? undefined : date;
}

/** 2026-11-21 09:04:33.120 UTC */
export function formatExactTime(time: string | number | Date | null | undefined): string {
	const date = valid(time);
	if (!date) return UNKNOWN;
	const { year, month, day, time: clock, millis } = parts(date);
	const zone = zoneFormat()
		.formatToParts(date)
		.find((part) => part.type === "timeZoneName")?.value;
	return `${year}-${two(month)}-${two(day)} ${clock}.${millis} ${zone ?? ""}`;
}

/** Today 09:04:33, this year Nov 21 09:04, else 2025-11-21 09:04. */
export function formatTime(time: string | number | Date | null | undefined, now = Date.now()): string {
	const date = valid(time);
	if (!date) return UNKNOWN;
	const own = parts(date);
	const today = parts(new Date(now));
	if (own.year === today.year && own.month === today.month && own.day === today.day) return own.time;
	const clock = own.time.slice(0, 5);
	if (own.year !== today.year) return `${own.year}-${two(own.month)}-${two(own.day)} ${clock}`;
	const month = monthFormat().format(date);
	return `${month} ${own.day} ${clock}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" });
const STEPS = [
	["day", 86_400_000],
	["hour", 3_600_000],
	["minute", 60_000],
] as const;

/** 3m ago, in 2h; within a minute "just now". Further than 30 days away: the date. */
export function formatRelative(time: string | number | Date | null | undefined, now = Date.now()): string {
	const date = valid(time);
	if (!date) return UNKNOWN;
	const difference = date.getTime() - now;
	if (Math.abs(difference) > 30 * 86_400_000) {
		const { year, month, day } = parts(date);
		return `${year}-${two(month)}-${two(day)}`;
	}
	for (const [unit, size] of STEPS) {
		if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
	}
	return "just now";
}

interface Clock {
	readonly subscribe: (listener: () => void) => () => void;
	readonly read: () => number;
}

/** A clock that stands still while nobody listens. */
function clockOf(stepMs: number): Clock {
	let now = Date.now();
	const listeners = new Set<() => void>();
	let timer: ReturnType<typeof setInterval> | undefined;
	const subscribe = (listener: () => void) => {
		listeners.add(listener);
		if (timer === undefined) {
			now = Date.now();
			timer = setInterval(() => {
				now = Date.now();
				for (const each of listeners) each();
			}, stepMs);
		}
		return () => {
			listeners.delete(listener);
			if (listeners.size > 0) return;
			clearInterval(timer);
			timer = undefined;
		};
	};
	return { subscribe, read: () => now };
}

const quarters = clockOf(15_000);
const seconds = clockOf(1_000);

/** The current time in milliseconds, which rerenders every 15 s, so that "3m ago" stays true. */
export function useNow(): number {
	return useSyncExternalStore(quarters.subscribe, quarters.read);
}

/** The current time in milliseconds, which rerenders every second while something is running. */
export function useSeconds(isRunning: boolean): number {
	return useSyncExternalStore(isRunning ? seconds.subscribe : notAtAll, seconds.read);
}

function notAtAll(): () => void {
	return () => undefined;
}
