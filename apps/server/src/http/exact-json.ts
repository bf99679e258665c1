declare global {
	interface JSON {
		/** A value that `JSON.stringify` writes as this text (ECMAScript: JSON.parse source text access). */
		rawJSON(text: string): unknown;
		isRawJSON(value: unknown): boolean;
	}
}

/**
 * An integer that `JSON.stringify` writes with all its digits. Typed as a number, which it is whenever a number can
 * hold it.
 */
export function exactInteger(value: bigint): number {
	const number = Number(value);
	return Number.isSafeInteger(number) ? number : (JSON.rawJSON(String(value)) as number);
}

/** A double as JSON: NaN and the infinities, which JSON does not have, as strings. */
export function exactDouble(value: number): number | string {
	return Number.isFinite(value) ? value : String(value);
}

const LONG_INTEGER = /\d{16}/;

/**
 * Parses JSON; an integer beyond 2^53 becomes a bigint. Keys such as `__proto__` are data.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
	if (!LONG_INTEGER.test(text)) return JSON.parse(text);
	return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
		const source = context?.source;
		const inexact = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
		return inexact && /^-?\d+$/.test(source) ? BigInt(source) : value;
	});
}
