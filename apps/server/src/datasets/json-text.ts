/** JSON as it is stored; integers that came as bigints keep all their digits. */
export function toJsonText(value: unknown): string {
	return JSON.stringify(value, exactly);
}

/** As {@link toJsonText} with the keys of objects in order, so that equal values are equal texts. */
export function toCanonicalText(value: unknown): string {
	return JSON.stringify(value, (key, item: unknown) => {
		if (typeof item !== "object" || item === null || Array.isArray(item)) return exactly(key, item);
		// A null prototype, as a key may be `__proto__`.
		const sorted: Record<string, unknown> = Object.create(null);
		for (const name of Object.keys(item).sort()) sorted[name] = Reflect.get(item, name);
		return sorted;
	});
}

function exactly(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;
}

/** A stored object, to be written again: integers beyond 2^53 are raw JSON. */
export function fromJsonText(text: string): Record<string, unknown> {
	return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
		const source = context?.source;
		const isInexact = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
		return isInexact && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value;
	});
}
