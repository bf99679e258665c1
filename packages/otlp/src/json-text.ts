import { OtlpDecodeError } from "./errors.ts";

/** JSON data, with integers that a double cannot represent as bigints. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
	[key: string]: Json | undefined;
}

/**
 * Finds integers below 2 ** 64 that `JSON.parse` may round: 16 digits or more before the point, or a long number with
 * an exponent. Numbers in quotes do not match.
 */
const MAY_ROUND = /[:,[]\s*-?(?:\d{16,}|[\d.]{8,}[eE]\+?\d)/;
/** A JSON value takes two bytes on the wire but dozens in memory; a request has some forty objects per span. */
const MOST_CONTAINERS = 4_000_000;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/**
 * Parses JSON without rounding integers of 64 bits.
 * @throws OtlpDecodeError when the text is not JSON
 */
export function parseJson(text: string): Json {
	if (text.length > MOST_CONTAINERS * 2 && countContainers(text) > MOST_CONTAINERS) {
		throw new OtlpDecodeError(`The JSON holds more than ${MOST_CONTAINERS} objects and arrays; send it in parts.`);
	}
	try {
		// The reviver is slow, so it is used only where it can matter.
		return MAY_ROUND.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
	} catch (error) {
		if (error instanceof RangeError) throw new OtlpDecodeError("The JSON is nested too deep; send flatter values.");
		const detail = error instanceof Error ? ` (${error.message})` : "";
		throw new OtlpDecodeError(`The body is not JSON${detail}; send an OTLP message in the JSON encoding.`);
	}
}

/** Counts objects and arrays, ignoring strings. */
function countContainers(text: string): number {
	let containers = 0;
	let quoted = false;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		if (unit === QUOTE) quoted = !quoted;
		else if (quoted) {
			if (unit === BACKSLASH) index++;
		} else if (unit === BRACE || unit === BRACKET) containers++;
	}
	return containers;
}

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value) || Math.abs(value) > 2 ** 65) return value;
	return (context?.source === undefined ? undefined : parseInteger(context.source)) ?? value;
}

/** An integer in the notation of JSON (`120`, `1.2e2`), exactly; undefined when it is none or absurdly long. */
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

/** A number in the notation of JSON, or one of the three names that ProtoJSON adds (such as `NaN`). */
export function parseDouble(text: string): number | undefined {
	if (NUMBER.test(text)) return Number(text);
	return text === "NaN" || text === "Infinity" || text === "-Infinity" ? Number(text) : undefined;
}
