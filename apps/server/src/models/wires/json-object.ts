/** An object of JSON; what is in it is looked at where it is read. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object at a path of members; empty where there is none. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
	const found = path.reduce<unknown>((at, member) => (isJsonObject(at) ? at[member] : undefined), value);
	return isJsonObject(found) ? found : {};
}

export function parseJson(text: string): { readonly value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		if (error instanceof SyntaxError) return;
		throw error;
	}
}

/** Puts the members of an object into another one; objects in both are merged, other values replaced. */
export function merge(into: Record<string, unknown>, from: unknown): void {
	if (!isJsonObject(from)) return;
	for (const [member, value] of Object.entries(from)) {
		if (member === "__proto__") continue;
		const before = into[member];
		if (!(isJsonObject(before) && isJsonObject(value))) {
			into[member] = value;
			continue;
		}
		const both = { ...before };
		merge(both, value);
		into[member] = both;
	}
}

/** Puts a value at a path of members, such as `generationConfig.topP`. */
export function put(into: Record<string, unknown>, path: string, value: unknown): void {
	merge(
		into,
		path.split(".").reduceRight<unknown>((inner, member) => ({ [member]: inner }), value),
	);
}
