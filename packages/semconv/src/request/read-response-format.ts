import { compact } from "../compact.ts";
import { decoded, field, isObject, type PlainObject } from "../json.ts";
import type { Attributes } from "../model.ts";
import { firstObjectIn, lookUp, lookUpObject, textIn } from "./request-objects.ts";
import type { SentResponseFormat } from "./sent-request.ts";

/** Attributes that hold the schema alone. */
const SCHEMA_ATTRIBUTES = [
	"ai.schema",
	"gen_ai.request.structured_output_schema",
	"gen_ai.openai.structured_output_schema",
	"llm.request.structured_output_schema",
] as const;

/** How the answer was to be formed: OpenAI (both APIs), Anthropic, Gemini, Ollama, pydantic-ai, AI SDK. */
export function readResponseFormat(
	attributes: Attributes,
	objects: readonly PlainObject[],
): SentResponseFormat | undefined {
	for (const key of SCHEMA_ATTRIBUTES) {
		const schema = decoded(attributes.get(key));
		if (!isObject(schema)) continue;
		return compact<SentResponseFormat>({
			name: textOf(attributes, `${key}.name`),
			description: textOf(attributes, `${key}.description`),
			schema,
		});
	}
	return readSent(objects) ?? readGemini(objects) ?? readPydantic(objects) ?? readType(attributes, objects);
}

function textOf(attributes: Attributes, key: string): string | undefined {
	const value = attributes.get(key);
	return typeof value === "string" && value !== "" ? value : undefined;
}

function readSent(objects: readonly PlainObject[]): SentResponseFormat | undefined {
	const text = lookUpObject(objects, ["text"]);
	const config = lookUpObject(objects, ["output_config"]);
	const sent =
		decoded(lookUp(objects, ["response_format", "responseFormat", "output_format", "format"])) ??
		(text === undefined ? undefined : field(text, "format")) ??
		(config === undefined ? undefined : field(config, "format"));
	if (sent === "json") return {};
	if (!isObject(sent)) return undefined;
	const type = textIn(sent, "type");
	if (type === "text") return undefined;
	if (type === "json_object" || type === "json") return formOf(sent);
	const inner = firstObjectIn(sent, ["json_schema"]) ?? sent;
	const schema = firstObjectIn(inner, ["schema"]);
	// Ollama's `format` is the schema itself; LangChain's may be a class that was written out.
	if (schema === undefined && type !== "json_schema")
		return field(sent, "properties") === undefined ? undefined : { schema: sent };
	return formOf(inner);
}

function formOf(inner: PlainObject): SentResponseFormat {
	const strict = field(inner, "strict");
	return compact<SentResponseFormat>({
		name: textIn(inner, "name"),
		description: textIn(inner, "description"),
		schema: firstObjectIn(inner, ["schema"]),
		strict: typeof strict === "boolean" ? strict : undefined,
	});
}

function readGemini(objects: readonly PlainObject[]): SentResponseFormat | undefined {
	const schema = lookUpObject(objects, [
		"response_json_schema",
		"responseJsonSchema",
		"response_schema",
		"responseSchema",
	]);
	if (schema !== undefined) return { schema };
	return lookUp(objects, ["response_mime_type", "responseMimeType"]) === "application/json" ? {} : undefined;
}

function readPydantic(objects: readonly PlainObject[]): SentResponseFormat | undefined {
	const mode = lookUp(objects, ["output_mode"]);
	const output = lookUpObject(objects, ["output_object"]);
	if (mode !== "native" || output === undefined) return undefined;
	const form = formOf(output);
	const schema = firstObjectIn(output, ["json_schema"]);
	return schema === undefined ? form : { ...form, schema };
}

/** Only that it was to be JSON. */
function readType(attributes: Attributes, objects: readonly PlainObject[]): SentResponseFormat | undefined {
	const type = attributes.get("gen_ai.output.type") ?? lookUp(objects, ["output"]);
	const operation = attributes.get("ai.operationId");
	const isObjectAsked = typeof operation === "string" && /^ai\.(generate|stream)Object/.test(operation);
	return type === "json" || type === "object" || isObjectAsked ? {} : undefined;
}
