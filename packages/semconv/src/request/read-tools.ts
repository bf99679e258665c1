import { compact, nonEmpty } from "../compact.ts";
import { decoded, field, isList, isObject, type PlainObject } from "../json.ts";
import type { Plain } from "../model.ts";
import { firstObjectIn, isListOfTexts, lookUp, textIn } from "./request-objects.ts";
import type { SentTool, SentToolChoice } from "./sent-request.ts";

/** Where definitions have the tool's own members. */
const INNER = ["tool.json_schema", "function", "toolSpec", "tool"] as const;
const SCHEMAS = [
	"parameters",
	"input_schema",
	"inputSchema",
	"parameters_json_schema",
	"parametersJsonSchema",
	"json_schema",
	"params_json_schema",
	"args_schema",
] as const;

/** The tools of such definitions, in any provider's form. */
export function readTools(schemas: readonly Plain[] | undefined): SentTool[] | undefined {
	return nonEmpty((schemas ?? []).flatMap((schema) => readTool(schema) ?? []));
}

function readTool(schema: Plain): SentTool | undefined {
	const data = decoded(schema);
	if (typeof data === "string") return data === "" ? undefined : { name: data, isNameOnly: true };
	if (!isObject(data)) return undefined;
	const inner = innermost(data);
	const name = textIn(inner, "name") ?? textIn(inner, "title");
	const parameters = schemaOf(inner);
	const type = textIn(data, "type");
	const isOfProvider = parameters === undefined && type !== undefined && type !== "function" && inner === data;
	if (name === undefined || isOfProvider) return { raw: data };
	const strict = field(inner, "strict") ?? field(data, "strict");
	const description = textIn(inner, "description");
	const isNameOnly = parameters === undefined && description === undefined;
	return compact<Extract<SentTool, { name: string }>>({
		name,
		description,
		parameters,
		strict: typeof strict === "boolean" ? strict : undefined,
		isNameOnly: isNameOnly && !SCHEMAS.some((key) => key in inner) ? true : undefined,
	});
}

function innermost(data: PlainObject): PlainObject {
	const inner = firstObjectIn(data, INNER);
	return inner === undefined ? data : (firstObjectIn(inner, ["function"]) ?? inner);
}

function schemaOf(tool: PlainObject): PlainObject | undefined {
	const schema = firstObjectIn(tool, SCHEMAS);
	if (schema === undefined) return undefined;
	// Bedrock: {"json": …}; the AI SDK: {"jsonSchema": …}.
	const wrapped = ["json", "jsonSchema"].map((key) => field(schema, key)).find(isObject);
	return wrapped !== undefined && field(schema, "type") === undefined ? wrapped : schema;
}

const CHOICES: ReadonlyMap<string, "none" | "zero_or_more" | "one_or_more"> = new Map([
	["none", "none"],
	["auto", "zero_or_more"],
	["required", "one_or_more"],
	["any", "one_or_more"],
	["validated", "one_or_more"],
]);

/** What the model was to do with the tools: OpenAI, Anthropic, Gemini, Bedrock, AI SDK. */
export function readToolChoice(
	objects: readonly PlainObject[],
	attribute: Plain | undefined,
): SentToolChoice | undefined {
	const sent = decoded(attribute ?? lookUp(objects, ["tool_choice", "toolChoice"]));
	if (typeof sent === "string") {
		const type = CHOICES.get(sent.toLowerCase());
		return type === undefined ? { type: "specific_function", function_name: sent } : { type };
	}
	if (isObject(sent)) return choiceIn(sent);
	const config = decoded(lookUp(objects, ["tool_config", "toolConfig"]));
	if (!isObject(config)) return undefined;
	const calling = firstObjectIn(config, ["function_calling_config", "functionCallingConfig"]);
	if (calling !== undefined) return geminiChoice(calling);
	const bedrock = firstObjectIn(config, ["toolChoice"]);
	return bedrock === undefined ? undefined : choiceIn(bedrock);
}

function choiceIn(sent: PlainObject): SentToolChoice | undefined {
	const named = firstObjectIn(sent, ["function", "tool"]) ?? sent;
	const name = textIn(named, "name") ?? textIn(named, "toolName");
	if (name !== undefined) return { type: "specific_function", function_name: name };
	const word = textIn(sent, "type") ?? [...CHOICES.keys()].find((key) => field(sent, key) !== undefined);
	const type = word === undefined ? undefined : CHOICES.get(word);
	return type === undefined ? undefined : { type };
}

function geminiChoice(calling: PlainObject): SentToolChoice | undefined {
	const mode = textIn(calling, "mode")?.toLowerCase();
	const type = mode === undefined ? undefined : CHOICES.get(mode);
	const allowed = field(calling, "allowed_function_names") ?? field(calling, "allowedFunctionNames");
	const [only, ...more] = isListOfTexts(allowed) ? allowed : [];
	if (type === "one_or_more" && only !== undefined && more.length === 0) {
		return { type: "specific_function", function_name: only };
	}
	return type === undefined ? undefined : { type };
}

/** Whether the model was told to call at most one tool at a time; undefined where that is not recorded. */
export function readParallel(objects: readonly PlainObject[]): boolean | undefined {
	const sent = lookUp(objects, ["parallel_tool_calls", "parallelToolCalls"]);
	if (typeof sent === "boolean") return !sent;
	const choice = decoded(lookUp(objects, ["tool_choice"]));
	const disabled = isObject(choice) ? field(choice, "disable_parallel_tool_use") : undefined;
	return typeof disabled === "boolean" ? disabled : undefined;
}

/** Definitions in a request that were not read by the convention. */
export function toolsIn(objects: readonly PlainObject[]): readonly Plain[] | undefined {
	const tools = decoded(lookUp(objects, ["tools"]));
	return isList(tools) ? tools : undefined;
}
