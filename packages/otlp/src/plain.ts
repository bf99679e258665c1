import type { AnyValue, KeyValue, PlainValue } from "./model.ts";

/** An attribute value as JSON-like data; see `PlainValue`. */
export function toPlain(value: AnyValue): PlainValue {
	switch (value.type) {
		case "empty":
			return null;
		case "int":
			return exactInteger(value.value);
		case "array":
			return value.value.map(toPlain);
		case "kvlist": {
			// Without a prototype, `__proto__` and `constructor` are ordinary keys.
			const object: Record<string, PlainValue> = Object.create(null);
			for (const entry of value.value) object[entry.key] = toPlain(entry.value);
			return object;
		}
		default:
			return value.value;
	}
}

/** Attributes by key; empty values are left out, and of a repeated key the last one counts. */
export function toPlainMap(attributes: readonly KeyValue[]): Map<string, PlainValue> {
	const map = new Map<string, PlainValue>();
	for (const { key, value } of attributes) {
		if (value.type !== "empty") map.set(key, toPlain(value));
	}
	return map;
}

/** JSON-like data as an attribute value: whole numbers become ints, other numbers doubles, null the empty value. */
export function fromPlain(value: PlainValue): AnyValue {
	switch (typeof value) {
		case "string":
			return { type: "string", value };
		case "boolean":
			return { type: "bool", value };
		case "number":
			return Number.isSafeInteger(value) && !Object.is(value, -0)
				? { type: "int", value: BigInt(value) }
				: { type: "double", value };
		case "bigint":
			return BigInt.asIntN(64, value) === value ? { type: "int", value } : { type: "double", value: Number(value) };
		default:
			return value === null ? { type: "empty" } : fromPlainObject(value);
	}
}

function fromPlainObject(value: Uint8Array | readonly PlainValue[] | { readonly [key: string]: PlainValue }): AnyValue {
	if (value instanceof Uint8Array) return { type: "bytes", value };
	if (isArray(value)) return { type: "array", value: value.map(fromPlain) };
	return {
		type: "kvlist",
		value: Object.entries(value).map(([key, entry]) => ({ key, value: fromPlain(entry) })),
	};
}

/** `Array.isArray` does not tell readonly arrays from objects. */
function isArray(
	value: readonly PlainValue[] | { readonly [key: string]: PlainValue },
): value is readonly PlainValue[] {
	return Array.isArray(value);
}

function exactInteger(value: bigint): number | bigint {
	const number = Number(value);
	return Number.isSafeInteger(number) ? number : value;
}
