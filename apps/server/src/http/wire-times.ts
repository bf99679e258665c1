import { z } from "zod";

/** A moment as the wire says it: microseconds since 1970 and the nanoseconds below them. */
export interface ParsedTime {
	readonly micros: number;
	readonly nanos: number;
	/** It named its offset (or is a unix number); otherwise it was read as UTC. */
	readonly zoned: boolean;
}

/** `2023-11-14T22:13:20.200000+00:00`: always UTC and never `Z`, microseconds only when they are not zero. */
export function formatTime(micros: number): string {
	const seconds = Math.floor(micros / 1e6);
	const rest = micros - seconds * 1e6;
	const text = new Date(seconds * 1_000).toISOString().slice(0, 19);
	return rest === 0 ? `${text}+00:00` : `${text}.${String(rest).padStart(6, "0")}+00:00`;
}

// A bare `+` in a query string arrives as a space, so a space before the offset counts as one.
const ISO =
	/^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?\s?(Z|z|[+-]?\d\d:?\d\d|[+-]\d\d)?)?$/;
const NUMBER = /^-?\d{1,16}(?:\.\d+)?$/;
/** Above it a unix number counts milliseconds, as pydantic reads it. */
const SECONDS_LIMIT = 2e10;

/** Any ISO-8601 date or time, or a unix number of seconds or milliseconds; undefined when it is none. */
export function parseTime(text: string): ParsedTime | undefined {
	if (NUMBER.test(text)) return unixTime(Number(text));
	const match = ISO.exec(text);
	if (match === null) return undefined;
	const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", offset] = match;
	// Date.UTC takes the years 0 to 99 for 1900 to 1999.
	const at = new Date(0);
	at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
	at.setUTCHours(Number(hour), Number(minute), Number(second));
	const real =
		at.getUTCMonth() === Number(month) - 1 &&
		at.getUTCDate() === Number(day) &&
		Number(hour) < 24 &&
		Number(minute) < 60 &&
		Number(second) < 60;
	const shift = offset === undefined ? 0 : offsetMinutes(offset);
	if (!real || shift === undefined) return undefined;
	const digits = fraction.padEnd(9, "0");
	return {
		micros: (at.getTime() - shift * 60_000) * 1_000 + Number(digits.slice(0, 6)),
		nanos: Number(digits.slice(6)),
		zoned: offset !== undefined,
	};
}

function unixTime(value: number): ParsedTime | undefined {
	const seconds = Math.abs(value) > SECONDS_LIMIT ? value / 1_000 : value;
	if (Math.abs(seconds) > 253_402_300_799) return undefined;
	return { micros: Math.round(seconds * 1e6), nanos: 0, zoned: true };
}

function offsetMinutes(offset: string): number | undefined {
	if (offset === "Z" || offset === "z") return 0;
	const digits = offset.replace(/[^\d]/g, "").padEnd(4, "0");
	const hours = Number(digits.slice(0, 2));
	const minutes = Number(digits.slice(2));
	if (hours > 23 || minutes > 59) return undefined;
	return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** A time in an answer. */
export const wireTime = z.string().meta({ format: "date-time" });

/** A time bound of a query, as microseconds since 1970; a naive one is read as UTC. */
export const timeParam = z
	.string()
	.meta({ format: "date-time" })
	.transform((text, context) => {
		const time = parseTime(text.trim());
		if (time !== undefined) return time.micros;
		context.addIssue({
			code: "custom",
			params: { type: "datetime_from_date_parsing" },
			message: "Input should be a valid datetime or date",
		});
		return z.NEVER;
	});
