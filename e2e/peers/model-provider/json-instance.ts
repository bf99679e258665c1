import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts";

/** The first value that fits a JSON Schema: constants, the first of a list of values, all members, bounds of numbers and lists. */
export function makeInstance(schema: unknown, root: JsonObject = objectOf(schema)): unknown {
	if (!isObject(schema)) return null;
	if ("const" in schema) return schema["const"];
	if (Array.isArray(schema["enum"])) return schema["enum"][0] ?? null;
	const reference = textOf(schema["$ref"]);
	if (reference !== undefined) return makeInstance(follow(reference, root), root);
	const choice = listOf(schema["anyOf"])[0] ?? listOf(schema["oneOf"])[0];
	if (choice !== undefined) return makeInstance(choice, root);
	const all = listOf(schema["allOf"]);
	if (all.length > 0) return Object.assign({}, ...all.map((part) => makeInstance(part, root)));
	return ofType(typeOf(schema), schema, root);
}

function typeOf(schema: JsonObject): string {
	const type = Array.isArray(schema["type"]) ? schema["type"].find((name) => name !== "null") : schema["type"];
	// Gemini spells types in capitals.
	const name = textOf(type)?.toLowerCase();
	if (name !== undefined) return name;
	return "properties" in schema ? "object" : "string";
}

function ofType(type: string, schema: JsonObject, root: JsonObject): unknown {
	switch (type) {
		case "object": {
			const members = Object.entries(objectOf(schema["properties"]));
			return Object.fromEntries(members.map(([name, member]) => [name, makeInstance(member, root)]));
		}
		case "array": {
			const length = numberOf(schema["minItems"]) ?? 1;
			return Array.from({ length }, () => makeInstance(schema["items"] ?? {}, root));
		}
		case "integer":
		case "number":
			return numberOf(schema["minimum"]) ?? Math.min(1, numberOf(schema["maximum"]) ?? 1);
		case "boolean":
			return true;
		case "null":
			return null;
		default:
			return ofFormat(textOf(schema["format"])).padEnd(numberOf(schema["minLength"]) ?? 0, "x");
	}
}

function ofFormat(format: string | undefined): string {
	switch (format) {
		case "date":
			return "2026-01-02";
		case "date-time":
			return "2026-01-02T03:04:05Z";
		case "email":
			return "ada@example.com";
		case "uri":
			return "https://example.com/";
		default:
			return "text";
	}
}

/** Of a reference into the schema itself, such as `#/$defs/Verdict`. */
function follow(reference: string, root: JsonObject): unknown {
	const names = reference.replace(/^#\/?/, "").split("/");
	return names
		.filter((name) => name !== "")
		.reduce<unknown>((value, name) => objectOf(value)[name.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}
