import type { Plain } from "@spanward/semconv";
import { exactDouble, exactInteger } from "./exact-json.ts";

/** Plain data as `JSON.stringify` can write it: big integers with all digits, bytes as base64, NaN as text. */
export function toWirePlain(value: Plain): unknown {
	if (typeof value === "bigint") return exactInteger(value);
	if (typeof value === "number") return exactDouble(value);
	if (typeof value !== "object" || value === null) return value;
	if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
	if (isArray(value)) return value.map(toWirePlain);
	const object: Record<string, unknown> = Object.create(null);
	for (const [key, item] of Object.entries(value)) if (item !== undefined) object[key] = toWirePlain(item);
	return object;
}

function isArray(value: object): value is readonly Plain[] {
	return Array.isArray(value);
}
