/** A value of SQLite. */
type Value = string | number | bigint | NodeJS.ArrayBufferView | null;

/** Case-insensitive in every script. */
export function contains(text: string, within: string): boolean {
	return within.toLowerCase().includes(text.toLowerCase());
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** The number that a text contains; null if it is none. */
export function toNumber(value: Value): number | null {
	if (typeof value === "number") return value;
	if (typeof value !== "string" || value.length > 400 || !NUMBER.test(value)) return null;
	const number = Number(value);
	return Number.isFinite(number) ? number : null;
}

/** @param type the type in the filter, or `typeof` an attribute */
export function toText(value: Value, type: unknown): string | null {
	if (value === null || typeof value === "object") return null;
	if (type === "boolean" || type === "integer") return value === 0 ? "False" : "True";
	return type === "datetime" ? datetimeText(Number(value)) : String(value);
}

function datetimeText(micros: number): string {
	const milliseconds = Math.floor(micros / 1_000);
	const rest = String(micros - milliseconds * 1_000).padStart(3, "0");
	return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}

/** Like Python's `%`: the result has the sign of the divisor; null when that is 0. */
export function modulo(left: number, right: number): number | null {
	if (right === 0) return null;
	const rest = left - right * Math.floor(left / right);
	return Number.isNaN(rest) ? null : rest;
}
