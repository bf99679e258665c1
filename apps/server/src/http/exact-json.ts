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

/** A number of 16 or more digits, or a string that contains what looks like one. */
const LONG_INTEGER = /[:[,\s]-?\d{16}/;

/**
 * Parses JSON; an integer beyond 2^53 becomes a bigint. Keys such as `__proto__` are data.
 * @param mayHaveLongInteger whether an integer of 16 or more digits is among its values: looking at each takes longer
 * @throws SyntaxError, also when it nests deeper than the stack
 */
export function parseExactJson(text: string, mayHaveLongInteger = LONG_INTEGER.test(text)): unknown {
	if (!mayHaveLongInteger) return JSON.parse(text);
	try {
		return JSON.parse(text, exactValue);
	} catch (error) {
		if (error instanceof RangeError) throw new SyntaxError("it nests too deeply", { cause: error });
		throw error;
	}
}

function exactValue(_key: string, value: unknown, context?: { source?: string }): unknown {
	const source = context?.source;
	const inexact = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
	return inexact && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
