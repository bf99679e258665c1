import { type AnyValue, decodeSpan, fromPlain, type KeyValue } from "@spanward/otlp";
import { readDerivedAttributes } from "../span-meaning.ts";
import type { AttributeEquals, SpanContent } from "../trace-store.ts";

/**
 * Whether the span has all of these attributes, by the dotted path of the flattened attributes: as they were sent, else
 * as derived from another convention.
 */
export function matchesAttributes(content: SpanContent, wanted: readonly AttributeEquals[]): boolean {
	const { attributes } = decodeSpan(content.span);
	const missing = wanted.filter(({ key, value }) => !attributes.some((attribute) => holds(attribute, key, value)));
	if (missing.length === 0) return true;
	// An attribute that was sent is never derived as well.
	if (missing.some(({ key }) => attributes.some((attribute) => attribute.key === key))) return false;
	const derived = Array.from(readDerivedAttributes(content), ([key, value]) => ({ key, value: fromPlain(value) }));
	return missing.every(({ key, value }) => derived.some((attribute) => holds(attribute, key, value)));
}

function holds(attribute: KeyValue, path: string, wanted: string | number | boolean): boolean {
	if (attribute.key === path) return equals(attribute.value, wanted);
	if (!path.startsWith(`${attribute.key}.`)) return false;
	return holdsBelow(attribute.value, path.slice(attribute.key.length + 1), wanted);
}

function holdsBelow(value: AnyValue, path: string, wanted: string | number | boolean): boolean {
	switch (value.type) {
		case "kvlist":
			return value.value.some((entry) => holds(entry, path, wanted));
		case "array": {
			const index = /^(\d+)\.(.*)$/s.exec(path);
			const item = index === null ? undefined : value.value[Number(index[1])];
			return item !== undefined && holdsBelow(item, index?.[2] ?? "", wanted);
		}
		case "string":
			return holdsInJson(value.value, path, wanted);
		default:
			return false;
	}
}

/** Metadata and similar attributes are sent as JSON text and shown flattened. */
function holdsInJson(text: string, path: string, wanted: string | number | boolean): boolean {
	if (!text.startsWith("{")) return false;
	let data: unknown;
	try {
		data = JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return false;
		throw error;
	}
	return holdsInPlain(data, path, wanted);
}

function holdsInPlain(data: unknown, path: string, wanted: string | number | boolean): boolean {
	if (typeof data !== "object" || data === null) return false;
	return Object.entries(data).some(([key, value]) => {
		if (key === path) return value === wanted;
		return path.startsWith(`${key}.`) && holdsInPlain(value, path.slice(key.length + 1), wanted);
	});
}

function equals(value: AnyValue, wanted: string | number | boolean): boolean {
	switch (value.type) {
		case "string":
		case "bool":
		case "double":
			return value.value === wanted;
		case "int":
			return typeof wanted === "number" && Number(value.value) === wanted;
		default:
			return false;
	}
}
