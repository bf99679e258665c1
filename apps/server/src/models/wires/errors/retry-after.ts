import { isJsonObject } from "../json-object.ts";

const MAX_MS = 3_600_000;

/** What a provider asks to wait, by its headers or the details of its error; at most an hour. */
export function retryAfter(headers: Headers, details: unknown, now = Date.now()): number | undefined {
	const asked =
		milliseconds(headers.get("retry-after-ms")) ??
		secondsOrDate(headers.get("retry-after"), now) ??
		retryDelay(details) ??
		untilReset(headers, now);
	return asked === undefined ? undefined : Math.min(Math.max(Math.ceil(asked), 0), MAX_MS);
}

function milliseconds(text: string | null): number | undefined {
	return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** RFC 9110, 10.2.3 */
function secondsOrDate(text: string | null, now: number): number | undefined {
	if (text === null) return;
	const seconds = milliseconds(text);
	if (seconds !== undefined) return seconds * 1_000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : date - now;
}

/** `google.rpc.RetryInfo`, such as `{"retryDelay": "34.07s"}` */
function retryDelay(details: unknown): number | undefined {
	if (!Array.isArray(details)) return;
	for (const detail of details) {
		const delay = isJsonObject(detail) ? detail["retryDelay"] : undefined;
		if (typeof delay === "string") return duration(delay);
	}
	return;
}

/** Limits of which nothing remains, each of which says when it is full again. */
function untilReset(headers: Headers, now: number): number | undefined {
	const waits: number[] = [];
	for (const [name, value] of headers) {
		const [, before, after] = /^(.*ratelimit.*)remaining(.*)$/.exec(name) ?? [];
		if (before === undefined || after === undefined || Number(value) > 0) continue;
		const reset = headers.get(`${before}reset${after}`);
		const wait = reset === null ? undefined : (duration(reset) ?? moment(reset, now));
		if (wait !== undefined) waits.push(wait);
	}
	return waits.length === 0 ? undefined : Math.max(...waits);
}

/** `6m0s`, `1.5s`, `20ms` */
function duration(text: string): number | undefined {
	const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(text);
	if (match === null || text === "") return;
	const [hours = 0, minutes = 0, seconds = 0, rest = 0] = match.slice(1).map((part) => Number(part ?? 0));
	return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + rest;
}

/** A date, seconds from now, or a time since 1970 in seconds or milliseconds. */
function moment(text: string, now: number): number | undefined {
	const number = milliseconds(text);
	if (number === undefined) {
		const date = Date.parse(text);
		return Number.isNaN(date) ? undefined : date - now;
	}
	if (number < 1e8) return number * 1_000;
	return (number < 1e11 ? number * 1_000 : number) - now;
}
