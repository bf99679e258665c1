import { nonEmpty } from "./compact.ts";
import { decoded, field, isList, isObject, type PlainObject } from "./json.ts";
import type { Plain } from "./model.ts";

/** Tool definitions in a value: a list, or an object around it; JSON text of the list or of an entry is parsed. */
export function toolSchemas(value: Plain | undefined): Plain[] | undefined {
	const data = decoded(value);
	if (isObject(data)) {
		const list = decoded(field(data, "tools") ?? field(data, "function_tools"));
		return isList(list) ? toolSchemas(list) : toolSchemas([data]);
	}
	if (!isList(data)) return undefined;
	return nonEmpty(data.map((item) => decoded(item) ?? item).flatMap(withoutDeclarations));
}

/** Gemini declares several functions in one tool. */
function withoutDeclarations(item: Plain): readonly Plain[] {
	if (!isObject(item)) return [item];
	const declarations = field(item, "functionDeclarations") ?? field(item, "function_declarations");
	return isList(declarations) ? declarations : [item];
}

/** Names of the tools in such definitions, in any provider's form. */
export function toolNames(schemas: readonly Plain[] | undefined): string[] | undefined {
	return nonEmpty((schemas ?? []).flatMap((schema) => toolName(schema) ?? []));
}

function toolName(schema: Plain): string | undefined {
	if (typeof schema === "string") return schema === "" ? undefined : schema;
	if (!isObject(schema)) return undefined;
	const inner = ["tool.json_schema", "function", "toolSpec", "tool"]
		.map((key) => decoded(field(schema, key)))
		.find(isObject);
	if (inner === undefined) return nameOf(schema);
	const nested = field(inner, "function");
	return (isObject(nested) ? nameOf(nested) : undefined) ?? nameOf(inner) ?? nameOf(schema);
}

function nameOf(item: PlainObject): string | undefined {
	for (const key of ["name", "tool.name", "function.name", "title", "type"]) {
		const name = field(item, key);
		if (typeof name === "string" && name !== "" && name !== "function") return name;
	}
	return undefined;
}
