import { z } from "zod";
import { exactInteger } from "./exact-json.ts";

/** How deep stored JSON may nest: deeper than data does, and shallow enough to be written without much stack. */
export const MAX_DEPTH = 100;

/** An object that a caller stores. It is not copied, which would lose keys such as `__proto__`. */
export const jsonObject = z
	.custom<Readonly<Record<string, unknown>>>(isObject, {
		params: { type: "dict_type" },
		message: "Input should be a valid dictionary",
	})
	.refine((value) => isNestedAtMost(value, MAX_DEPTH), `it nests deeper than ${MAX_DEPTH} levels`)
	.meta({ type: "object", additionalProperties: true });

/** Characters of JSON. */
export const MAX_METADATA = 65_536;

/** Metadata that a caller attaches to something, as the text that is stored. */
export const storedMetadata = jsonObject.transform((value, context) => {
	const text = toJsonText(value);
	if (text.length <= MAX_METADATA) return text;
	context.addIssue({ code: "custom", message: `its JSON is longer than ${MAX_METADATA} characters` });
	return z.NEVER;
});

/** Any JSON, including null, but not absent. */
export const jsonValue = z
	.custom<unknown>((value) => value !== undefined, { params: { type: "missing" }, message: "Field required" })
	.refine((value) => isNestedAtMost(value, MAX_DEPTH), `it nests deeper than ${MAX_DEPTH} levels`)
	.meta({});

/** As {@link jsonValue}, as the text that is stored. */
export const storedJson = jsonValue.transform(toJsonText);

/** An object in an answer. */
export const wireObject = z.record(z.string(), z.unknown());

/** JSON text; bigints are written as integers, so that no digit is lost. */
export function toJsonText(value: unknown): string {
	return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? exactInteger(item) : item));
}

/** Stored JSON as a value that `JSON.stringify` writes with the digits that it has. */
export function fromJsonText(text: string): unknown {
	return MAY_HAVE_LONG_INTEGER.test(text) ? JSON.parse(text, exactValue) : JSON.parse(text);
}

/** As {@link fromJsonText}, of the text of an object. */
export function objectFromJsonText(text: string): Record<string, unknown> {
	const value = fromJsonText(text);
	return isObject(value) ? value : {};
}

const MAY_HAVE_LONG_INTEGER = /\d{16}/;

function exactValue(_key: string, value: unknown, context?: { source?: string }): unknown {
	const source = context?.source;
	const isExact = typeof value !== "number" || Number.isSafeInteger(value) || source === undefined;
	return isExact || !/^-?\d+$/.test(source) ? value : JSON.rawJSON(source);
}

export function isNestedAtMost(value: unknown, levels: number): boolean {
	if (levels < 0) return false;
	if (typeof value !== "object" || value === null) return true;
	if (Array.isArray(value)) return value.every((item) => isNestedAtMost(item, levels - 1));
	for (const key in value) if (!isNestedAtMost(Reflect.get(value, key), levels - 1)) return false;
	return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
