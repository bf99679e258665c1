/** The part of OpenAPI 3.1 that our document uses. */
export interface OpenApi {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
	readonly summary?: string;
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly content: Content; readonly required?: boolean };
	readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Parameter {
	readonly name: string;
	readonly in: string;
	readonly required?: boolean;
	readonly description?: string;
	readonly schema: Schema;
}

export interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: boolean | Schema;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly allOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** TypeScript types of every named schema and every operation, as `clients/typescript` uses them. */
export function clientTypes(document: OpenApi): string {
	const schemas = Object.entries(document.components.schemas).map(
		([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${typeOf(schema, "")};\n`,
	);
	const operations = METHODS.map((method) => {
		const entries = Object.entries(document.paths).flatMap(([path, item]) => {
			const operation = item[method];
			return operation === undefined ? [] : [operationType(path, operation)];
		});
		return `\t${method}: {\n${entries.join("")}\t};\n`;
	});
	return [
		"// Generated from docs/openapi.json by `npm run generate`.",
		"",
		...schemas,
		"/** By method and path. */",
		`export interface Operations {\n${operations.join("")}}`,
		"",
	].join("\n");
}

function operationType(path: string, operation: Operation): string {
	const parameters = operation.parameters ?? [];
	const parts = [
		parameterType("path", parameters),
		parameterType("query", parameters),
		bodyType(operation),
		`\t\t\tresponse: ${responseType(operation)};\n`,
	];
	return `${comment(operation.summary, "\t\t")}\t\t${JSON.stringify(path)}: {\n${parts.join("")}\t\t};\n`;
}

function parameterType(place: string, parameters: readonly Parameter[]): string {
	const own = parameters.filter((parameter) => parameter.in === place);
	if (own.length === 0) return "";
	const members = own.map(
		({ name, required, schema, description }) =>
			`${comment(description ?? schema.description, "\t\t\t\t")}\t\t\t\t${key(name)}${required ? "" : "?"}: ${typeOf(schema, "\t\t\t\t")};\n`,
	);
	const optional = own.some((parameter) => parameter.required) ? "" : "?";
	return `\t\t\t${place}${optional}: {\n${members.join("")}\t\t\t};\n`;
}

function bodyType({ requestBody }: Operation): string {
	const schema = requestBody?.content["application/json"]?.schema;
	return schema === undefined ? "" : `\t\t\tbody: ${typeOf(schema, "\t\t\t")};\n`;
}

function responseType({ responses }: Operation): string {
	const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
	if (success === undefined || success[0] === "204") return "undefined";
	const content = success[1].content ?? {};
	const json = content["application/json"]?.schema;
	if (json !== undefined) return typeOf(json, "\t\t\t");
	return Object.keys(content).length === 0 ? "undefined" : "string";
}

function typeOf(schema: Schema, indent: string): string {
	if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	const union = schema.anyOf ?? schema.oneOf;
	if (union !== undefined) return [...new Set(union.map((item) => typeOf(item, indent)))].join(" | ");
	if (schema.allOf !== undefined) return schema.allOf.map((item) => typeOf(item, indent)).join(" & ");
	if (Array.isArray(schema.type)) {
		return schema.type.map((type: string) => typeOf({ ...schema, type }, indent)).join(" | ");
	}
	switch (schema.type) {
		case "string":
			return "string";
		case "integer":
		case "number":
			return "number";
		case "boolean":
			return "boolean";
		case "null":
			return "null";
		case "array":
			return `Array<${typeOf(schema.items ?? {}, indent)}>`;
		case "object":
			return objectType(schema, indent);
		default:
			return "unknown";
	}
}

function objectType(schema: Schema, indent: string): string {
	const properties = Object.entries(schema.properties ?? {});
	if (properties.length === 0) {
		const values =
			typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties, indent) : "unknown";
		return `{ [key: string]: ${values} }`;
	}
	const inner = `${indent}\t`;
	const members = properties.map(([name, property]) => {
		const optional = schema.required?.includes(name) ? "" : "?";
		return `${comment(property.description, inner)}${inner}${key(name)}${optional}: ${typeOf(property, inner)};\n`;
	});
	return `{\n${members.join("")}${indent}}`;
}

function key(name: string): string {
	return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function comment(text: string | undefined, indent: string): string {
	return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;
}
