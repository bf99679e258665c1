import type { OtlpAnyValue, OtlpKeyValue } from "@spanward/client";
import type { Json } from "../../ui/content/json-value.ts";

export interface SentAttribute {
	readonly key: string;
	/** As OTLP names it. */
	readonly type: "string" | "bool" | "int" | "double" | "bytes" | "array" | "map" | "empty";
	/** int as a bigint where a double would round it; bytes as base64; NaN and infinities as texts. */
	readonly value: Json;
}

export function toSentAttributes(list: readonly OtlpKeyValue[]): SentAttribute[] {
	return list.map(({ key, value }) => ({ key, ...typed(value) }));
}

function typed(value: OtlpAnyValue): Omit<SentAttribute, "key"> {
	if (value.string_value !== null) return { type: "string", value: value.string_value };
	if (value.bool_value !== null) return { type: "bool", value: value.bool_value };
	if (value.int_value !== null) return { type: "int", value: value.int_value };
	if (value.double_value !== null) return { type: "double", value: value.double_value };
	if (value.bytes_value !== null) return { type: "bytes", value: value.bytes_value };
	if (value.array_value !== null)
		return { type: "array", value: value.array_value.values.map((item) => typed(item).value) };
	if (value.kvlist_value !== null) return { type: "map", value: toObject(value.kvlist_value.values) };
	return { type: "empty", value: null };
}

/** An object that may have any key, such as `__proto__`. Of a repeated key, the last value counts. */
function toObject(list: readonly OtlpKeyValue[]): { readonly [key: string]: Json } {
	return Object.fromEntries(list.map(({ key, value }) => [key, typed(value).value]));
}

/** The attributes whose key or value contains every word. */
export function searchAttributes(
	attributes: readonly SentAttribute[],
	words: readonly string[],
): readonly SentAttribute[] {
	if (words.length === 0) return attributes;
	return attributes.filter((attribute) => {
		const text = `${attribute.key} ${valueText(attribute.value)}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
}

function valueText(value: Json): string {
	if (typeof value !== "object" || value === null) return String(value);
	return JSON.stringify(value, (_key, member: unknown) => (typeof member === "bigint" ? String(member) : member));
}
