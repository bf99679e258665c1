import { type JsonLimits, measureJson } from "./json-size.ts";
import type { Plain } from "./model.ts";

export type PlainObject = { readonly [key: string]: Plain };

/** Deeper values are not read. */
export const MAX_DEPTH = 64;

export function isObject(value: Plain | undefined): value is PlainObject {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** `Array.isArray` does not narrow readonly arrays. */
export function isList(value: Plain | undefined): value is readonly Plain[] {
	return Array.isArray(value);
}

/** Own field of an object; keys such as `constructor` are data like any other. */
export function field(object: PlainObject, key: string): Plain | undefined {
	return Object.hasOwn(object, key) ? object[key] : undefined;
}

const LONG_INTEGER = /\d{16}/;
const INTEGER = /^-?\d+$/;

const MAX_PARSED_DEPTH = 200;
/** Texts this short are parsed within some hundredths of a second, whatever they contain. */
const HARMLESS_LENGTH = 262_144;
const LIMITS: JsonLimits = {
	values: 500_000,
	valuesWithLongIntegers: 100_000,
	names: 50_000,
	depth: MAX_PARSED_DEPTH,
};

/**
 * Parses JSON. Undefined when it is not JSON, nested so deeply that recursive code could run out of stack, or so large
 * that parsing would take seconds. Integers beyond 2^53 become bigints, so that no digit is lost.
 */
export function parseJson(text: string): Plain | undefined {
	const { excess, hasLongInteger } =
		text.length > HARMLESS_LENGTH
			? measureJson(text, LIMITS)
			: { excess: undefined, hasLongInteger: LONG_INTEGER.test(text) };
	if (excess !== undefined) return undefined;
	try {
		const value: Plain = hasLongInteger ? JSON.parse(text, keepLongIntegers) : JSON.parse(text);
		return isDeeper(value, MAX_PARSED_DEPTH) ? undefined : value;
	} catch (error) {
		// RangeError: nested deeper than the stack allows.
		if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
		throw error;
	}
}

function isDeeper(value: Plain, limit: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (limit === 0) return true;
	for (const item of isList(value) ? value : Object.values(value)) {
		if (typeof item === "object" && isDeeper(item, limit - 1)) return true;
	}
	return false;
}

// The third parameter is from ES2025's `JSON.parse` source text access; without it the number stays as parsed.
function keepLongIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
	const source = context?.source;
	return source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
}

/** The object, list or string that a JSON text contains; undefined for any other text. Numbers and words stay text. */
export function parseStructure(text: string): Plain | undefined {
	const first = firstCharacter(text);
	return first === "{" || first === "[" || first === '"' ? parseJson(text) : undefined;
}

function firstCharacter(text: string): string {
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code !== 0x20 && (code < 0x09 || code > 0x0d)) return text.charAt(i);
	}
	return "";
}

/** Decodes a value that libraries send either directly or as JSON text; a text that is not JSON stays text. */
export function decoded(value: Plain | undefined): Plain | undefined {
	return typeof value === "string" ? (parseStructure(value) ?? value) : value;
}

/** As `decoded`; undefined for null, an empty list and an empty object. */
export function decodedContent(value: Plain | undefined): Plain | undefined {
	const data = decoded(value);
	if (data === null || data === "") return undefined;
	if (typeof data !== "object" || data instanceof Uint8Array) return data;
	return Object.keys(data).length > 0 ? data : undefined;
}

/** As `decoded`, for values that some libraries encode twice; words such as `true` and numbers are parsed too. */
export function decodedArguments(value: Plain | undefined): Plain | undefined {
	let current = value;
	for (let round = 0; round < 3 && typeof current === "string"; round++) {
		const parsed = parseJson(current);
		if (parsed === undefined) break;
		current = parsed;
	}
	return current === "" || current === null ? undefined : current;
}

/** JSON on one line with a space after `,` and `:`, as Python writes it. */
export function renderJson(value: Plain, depth = 0): string {
	if (value === null) return "null";
	if (typeof value === "string") return JSON.stringify(value);
	if (typeof value === "number") return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
	if (typeof value === "boolean" || typeof value === "bigint") return String(value);
	if (value instanceof Uint8Array) return JSON.stringify(`${value.byteLength} bytes`);
	if (depth >= MAX_DEPTH) return '"…"';
	if (isList(value)) return `[${value.map((item) => renderJson(item, depth + 1)).join(", ")}]`;
	if (!isObject(value)) return "null";
	const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${renderJson(item, depth + 1)}`);
	return `{${members.join(", ")}}`;
}

/** Text unchanged, any other value as JSON; undefined for an absent value and the empty text. */
export function asText(value: Plain | undefined): string | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	return typeof value === "string" ? value : renderJson(value);
}
