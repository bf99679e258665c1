import { OtlpDecodeError } from "./errors.ts";

/** What JSON holds, with whole numbers that a double cannot tell apart as bigints. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
	[key: string]: Json | undefined;
}

/** A number that `JSON.parse` may round: 16 digits or more, or an exponent. Those in quotes are no numbers. */
const MAY_ROUND = /[:,[]\s*-?(?:\d[\d.]{15,}|[\d.]+[eE])/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON without rounding integers of 64 bits.
 * @throws OtlpDecodeError when the text is not JSON
 */
export function parseJson(text: string): Json {
	try {
		// The reviver is dear, so it is only used where it can matter.
		return MAY_ROUND.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
	} catch (error) {
		if (error instanceof RangeError) throw new OtlpDecodeError("The JSON is nested too deep; send flatter values.");
		const detail = error instanceof Error ? ` (${error.message})` : "";
		throw new OtlpDecodeError(`The body is not JSON${detail}; send an OTLP message in the JSON encoding.`);
	}
}

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value) || Math.abs(value) > 2 ** 65) return value;
	return (context?.source === undefined ? undefined : parseInteger(context.source)) ?? value;
}

/** A whole number in the notation of JSON (`120`, `1.2e2`), exactly; undefined when it is none or absurdly long. */
export function parseInteger(text: string): bigint | undefined {
	const match = text.length <= 80 ? NUMBER.exec(text) : null;
	if (match === null) return undefined;
	const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
	const digits = whole + fraction;
	const zeros = Number(exponent) - fraction.length;
	if (zeros > 40) return /^0+$/.test(digits) ? 0n : undefined;
	const kept = zeros < 0 ? digits.slice(0, zeros) : digits + "0".repeat(zeros);
	if (zeros < 0 && !/^0*$/.test(digits.slice(zeros))) return undefined;
	return BigInt(`${kept === "" ? "0" : kept}`) * (sign === "-" ? -1n : 1n);
}

/** A number in the notation of JSON, or the three names that ProtoJSON has for what JSON lacks. */
export function parseDouble(text: string): number | undefined {
	if (NUMBER.test(text)) return Number(text);
	return text === "NaN" || text === "Infinity" || text === "-Infinity" ? Number(text) : undefined;
}
