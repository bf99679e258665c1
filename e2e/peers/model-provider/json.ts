export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
	return isObject(value) ? value : {};
}

/** The value if it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}
