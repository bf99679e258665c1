import type { OpenApi, Schema } from "./generate-client-types.ts";

/** Names that no member of a class can have. */
const KEYWORDS: ReadonlySet<string> = new Set(
	"False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
		" ",
	),
);

/** Python types of every named schema, as `clients/python` uses them: dictionaries whose members are known. */
export function pythonTypes(document: OpenApi): string {
	const classes = Object.entries(document.components.schemas).map(([name, schema]) => definition(name, schema));
	return [
		'"""Generated from docs/openapi.json by `npm run generate`: what the server answers."""',
		"",
		"from __future__ import annotations",
		"",
		"from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union",
		"",
		"if TYPE_CHECKING:",
		"    from typing_extensions import NotRequired",
		"",
		...classes,
	].join("\n");
}

function definition(name: string, schema: Schema): string {
	const members = Object.entries(schema.properties ?? {});
	if (schema.type !== "object" || members.length === 0 || !members.every(([member]) => isName(member))) {
		return `\n${name} = ${quoted(typeOf(schema))}\n`;
	}
	const lines = members.map(([member, type]) => {
		const text = typeOf(type);
		return `    ${member}: ${schema.required?.includes(member) ? text : `NotRequired[${text}]`}\n`;
	});
	const about = schema.description === undefined ? "" : `    """${schema.description.replaceAll('"""', "'''")}"""\n\n`;
	return `\nclass ${name}(TypedDict):\n${about}${lines.join("")}`;
}

/** An alias is evaluated when the module is loaded: other names stand in it as texts. */
function quoted(type: string): string {
	return type.replace(/\b[A-Z]\w+\b/g, (name) =>
		["Any", "Literal", "Union", "None", "True", "False"].includes(name) ? name : `"${name}"`,
	);
}

function typeOf(schema: Schema): string {
	if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
	if (schema.const !== undefined) return literal([schema.const]);
	if (schema.enum !== undefined) return literal(schema.enum);
	const union = schema.anyOf ?? schema.oneOf;
	if (union !== undefined) return unionOf(union.map(typeOf));
	if (Array.isArray(schema.type)) return unionOf(schema.type.map((type: string) => typeOf({ ...schema, type })));
	switch (schema.type) {
		case "string":
			return "str";
		case "integer":
			return "int";
		case "number":
			return "float";
		case "boolean":
			return "bool";
		case "null":
			return "None";
		case "array":
			return `list[${typeOf(schema.items ?? {})}]`;
		case "object":
			return "dict[str, Any]";
		default:
			return "Any";
	}
}

function literal(values: readonly unknown[]): string {
	const texts = values.map((value) =>
		value === null ? "None" : typeof value === "boolean" ? python(value) : JSON.stringify(value),
	);
	return `Literal[${texts.join(", ")}]`;
}

function python(value: boolean): string {
	return value ? "True" : "False";
}

function unionOf(types: readonly string[]): string {
	const different = [...new Set(types)];
	return different.length === 1 ? (different[0] ?? "Any") : `Union[${different.join(", ")}]`;
}

function isName(text: string): boolean {
	return /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);
}
