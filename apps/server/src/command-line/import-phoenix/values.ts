import { isNestedAtMost, MAX_DEPTH } from "#http/json-values.ts";
import { storedName } from "#http/stored-text.ts";
import { type ParsedTime, parseTime } from "#http/wire-times.ts";
import type { SourceRow } from "./source.ts";

type Value = SourceRow[string] | undefined;

/** Characters of an object of metadata. */
const MAX_OBJECT = 1_000_000;
const NO_COLOR = "#808080";
/** A string of JSON, or a number that Python writes and JSON does not have. */
const TEXT_OR_NO_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

export function textOf(value: Value): string | null {
	return value === null || value === undefined ? null : String(value);
}

/** @returns undefined for an invalid name */
export function nameOf(value: Value): string | undefined {
	const parsed = storedName.safeParse(textOf(value)?.toWellFormed().replaceAll("\0", "\uFFFD"));
	return parsed.success ? parsed.data : undefined;
}

/** @returns null for anything but a finite number */
export function numberOf(value: Value): number | null {
	const number = value === null || value === undefined || value === "" ? Number.NaN : Number(value);
	return Number.isFinite(number) ? number : null;
}

/** @returns undefined for anything but a non-negative integer that every database can store */
export function countOf(value: Value): number | undefined {
	const number = numberOf(value);
	return number !== null && Number.isInteger(number) && number >= 0 && number < 2 ** 31 ? number : undefined;
}

/** `#rrggbb`; grey for anything else, as pages use the value in their styles. */
export function colorOf(value: Value): string {
	const color = textOf(value)?.toLowerCase() ?? "";
	return /^#[0-9a-f]{6}$/.test(color) ? color : NO_COLOR;
}

/** Microseconds since 1970 of a time in UTC, clamped to what a number represents exactly; 0 for anything else. */
export function microsOf(value: Value): number {
	const micros = timeOf(value)?.micros ?? 0;
	return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, micros));
}

export function timeOf(value: Value): ParsedTime | undefined {
	if (value === null || value === undefined) return undefined;
	const text = String(value)
		.replace(" ", "T")
		.replace(/\+00(:?00)?$/, "Z");
	return parseTime(/Z$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
}

/** The text of a JSON object; `{}` for anything else, and for an object that is too long or nests too deeply. */
export function objectTextOf(value: Value, maxLength = MAX_OBJECT): string {
	const text = textOf(value);
	if (text === null || text.length > maxLength) return "{}";
	const parsed: unknown = jsonOf(text);
	const isKept = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
	if (!isKept || !isNestedAtMost(parsed, MAX_DEPTH)) return "{}";
	return /NaN|Infinity/.test(text) ? text.replaceAll(TEXT_OR_NO_NUMBER, quoted) : text;
}

/** Parses JSON; undefined if it is invalid or nests too deeply. Integers keep all digits, NaN becomes a text. */
export function jsonOf(text: string): unknown {
	try {
		return parse(text);
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		if (!(error instanceof SyntaxError)) throw error;
	}
	try {
		return parse(text.replaceAll(TEXT_OR_NO_NUMBER, quoted));
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
		throw error;
	}
}

function quoted(found: string): string {
	return found.startsWith('"') ? found : `"${found}"`;
}

function parse(text: string): unknown {
	return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
		const source = context?.source;
		const isExact = typeof value !== "number" || Number.isSafeInteger(value) || source === undefined;
		return isExact || !/^-?\d+$/.test(source) ? value : BigInt(source);
	});
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
