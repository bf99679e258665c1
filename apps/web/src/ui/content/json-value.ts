/** JSON with integers beyond 2^53 as bigints, so that their digits stay exact. */
export type Json = null | string | boolean | number | bigint | readonly Json[] | { readonly [key: string]: Json };

/** A run of digits long enough to be inexact as a double; without one the plain parser is right and much faster. */
const LONG_DIGITS = /\d{16}/u;

/** Parses JSON; integers that a double cannot hold become bigints. Throws a SyntaxError on anything else. */
export function parseJson(text: string): Json {
	if (!LONG_DIGITS.test(text)) return JSON.parse(text) as Json;
	// TypeScript's library does not know the third parameter yet (TC39 "JSON.parse source text access").
	const revive = ((_key: string, value: unknown, context?: { source?: string }) => {
		const source = context?.source;
		if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
		return /^-?\d+$/u.test(source) ? BigInt(source) : value;
	}) as (key: string, value: unknown) => unknown;
	return JSON.parse(text, revive) as Json;
}

/** The object or array that a text holds as JSON, else undefined: scalars and prose stay text. */
export function parseJsonContainer(text: string): Json | undefined {
	const first = text.trimStart()[0];
	if (first !== "{" && first !== "[") return undefined;
	try {
		return parseJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/** JSON text; bigints as their digits (in quotes where the browser cannot write them). */
export function formatJson(value: Json, indent: number | string = 2): string {
	const replace = (_key: string, member: unknown) =>
		typeof member === "bigint" ? (rawJSON?.(String(member)) ?? String(member)) : member;
	return JSON.stringify(value, replace, indent);
}

export function isContainer(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
	return typeof value === "object" && value !== null;
}

/** Keys of an object, indexes of an array, nothing for the rest. */
export function childCount(value: Json): number {
	if (!isContainer(value)) return 0;
	return Array.isArray(value) ? value.length : Object.keys(value).length;
}
