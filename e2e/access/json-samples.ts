import { at, type Json, list } from "../fixture-comparison.ts";

/** A route that takes JSON, and a body that its schema describes. */
export interface JsonRoute {
	readonly method: string;
	/** With ids filled in that name nothing. */
	readonly path: string;
	readonly sample: Json;
}

/** Every route of an OpenAPI document with a body of JSON. */
export function listJsonRoutes(document: Json): JsonRoute[] {
	return Object.entries(at(document, "paths") as Record<string, Json>).flatMap(([path, methods]) =>
		Object.entries(methods as Record<string, Json>).flatMap(([method, operation]) => {
			const schema = at(operation, "requestBody", "content", "application/json", "schema");
			if (schema === undefined) return [];
			const filled = path.replaceAll(/\{\w+\}/g, "nothing");
			return [{ method: method.toUpperCase(), path: filled, sample: sampleOf(schema, document) }];
		}),
	);
}

/** Something that fits a JSON schema, every optional part included. */
function sampleOf(schema: Json, document: Json): Json {
	const reference = at(schema, "$ref");
	if (typeof reference === "string") return sampleOf(at(document, ...reference.split("/").slice(1)) ?? {}, document);
	const [choice] = list(at(schema, "anyOf") ?? at(schema, "oneOf"));
	if (choice !== undefined) return sampleOf(choice, document);
	const fixed = at(schema, "const") ?? at(schema, "enum", 0);
	if (fixed !== undefined) return fixed;
	switch (at(schema, "type")) {
		case "object":
			return Object.fromEntries(
				Object.entries((at(schema, "properties") ?? {}) as Record<string, Json>).map(([key, part]) => [
					key,
					sampleOf(part, document),
				]),
			);
		case "array":
			return [sampleOf(at(schema, "items") ?? {}, document)];
		case "integer":
		case "number":
			return 1;
		case "boolean":
			return true;
		default:
			return at(schema, "format") === "date-time" ? "2026-01-01T00:00:00Z" : "text";
	}
}

/**
 * The texts of bodies that differ from a sample by one `token`, which need not be JSON that could be built: in the place
 * of each value, and as the second of two values of each key.
 */
export function plant(sample: Json, token: string): string[] {
	const places = findPlaces(sample);
	return places.flatMap((place) => {
		const marked = JSON.stringify(replaceAt(sample, place, MARK));
		const key = place.at(-1);
		const twice = typeof key === "string" ? [marked.replace(`"${MARK}"`, `1,${JSON.stringify(key)}:${token}`)] : [];
		return [marked.replace(`"${MARK}"`, token), ...twice];
	});
}

const MARK = "planted here";

function findPlaces(value: Json, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
	if (typeof value !== "object" || value === null) return [place];
	const inner = Array.isArray(value)
		? value.map((item, index) => [index, item] as const)
		: Object.entries(value as Record<string, Json>);
	return [place, ...inner.flatMap(([key, item]) => findPlaces(item, [...place, key]))];
}

function replaceAt(value: Json, [key, ...rest]: readonly (string | number)[], replacement: Json): Json {
	if (key === undefined) return replacement;
	if (Array.isArray(value))
		return value.map((item: Json, index) => (index === key ? replaceAt(item, rest, replacement) : item));
	const record = value as Record<string, Json>;
	return { ...record, [key]: replaceAt(record[key] ?? null, rest, replacement) };
}
