import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ConnectionKind } from "#models/connection.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { isJsonObject, type JsonObject, merge } from "../json-object.ts";
import { isClaude, notSaid, type Wire } from "../wire.ts";
import { bodyParameters } from "./parameters.ts";
import { toPrompt } from "./to-prompt.ts";

/** A request as a library takes it, with what the library cannot be told. */
export interface PreparedCall {
	readonly options: LanguageModelV4CallOptions;
	/** Completes the body that the library made; what it sees there may add warnings. */
	readonly complete: (body: JsonObject) => JsonObject;
	/** Names of parameters as they were given, by those of the wire. */
	readonly givenNames: ReadonlyMap<string, string>;
	/** Grows while the request is sent. */
	readonly warnings: Set<string>;
}

type Tool = NonNullable<ModelRequest["tools"]>["tools"][number];

export function toCall(wire: Wire, kind: ConnectionKind, request: ModelRequest): PreparedCall {
	const prompt = toPrompt(request.messages, wire);
	const parameters = bodyParameters(wire, kind, request);
	const warnings = new Set([...prompt.warnings, ...parameters.warnings]);
	const tools = request.tools?.tools ?? [];
	const functions = tools.flatMap((tool) => (tool.type === "function" ? [toFunction(tool)] : []));
	const toolChoice = toToolChoice(request.tools?.tool_choice);
	if (functions.length === 0 && toolChoice !== undefined) {
		warnings.add("`tool_choice` is not sent: it holds for tools of the type `function`, and there is none.");
	}
	const options: LanguageModelV4CallOptions = {
		prompt: prompt.messages,
		...(functions.length === 0 ? {} : { tools: functions }),
		...(functions.length === 0 || toolChoice === undefined ? {} : { toolChoice }),
		...toResponseFormat(request.response_format),
		providerOptions: providerOptions(wire, request, warnings),
	};
	const complete = (made: JsonObject): JsonObject => {
		const body: Record<string, unknown> = { ...made };
		putSystemRoles(body, wire, prompt.systemRoles);
		putRawTools(body, wire, tools);
		noteSchema(body, wire, request, warnings);
		if (kind === "openai_compatible") putParallel(body, request);
		merge(body, parameters.body);
		noteAddedParameters(made, body, parameters.body, warnings);
		return body;
	};
	return { options, complete, givenNames: parameters.givenNames, warnings };
}

function toFunction({ function: given }: Extract<Tool, { type: "function" }>): LanguageModelV4FunctionTool {
	const { name, description, parameters = { type: "object", properties: {} }, strict } = given;
	return {
		type: "function",
		name,
		inputSchema: parameters,
		...(description === undefined ? {} : { description }),
		...(strict === undefined ? {} : { strict }),
	};
}

function toToolChoice(
	choice: NonNullable<ModelRequest["tools"]>["tool_choice"],
): LanguageModelV4CallOptions["toolChoice"] {
	switch (choice?.type) {
		case undefined:
			return undefined;
		case "none":
			return { type: "none" };
		case "zero_or_more":
			return { type: "auto" };
		case "one_or_more":
			return { type: "required" };
		case "specific_function":
			return { type: "tool", toolName: choice.function_name };
	}
}

function toResponseFormat(format: ModelRequest["response_format"]): Pick<LanguageModelV4CallOptions, "responseFormat"> {
	if (format === undefined) return {};
	const { name, description, schema } = format.json_schema;
	return {
		responseFormat: {
			type: "json",
			name,
			...(description === undefined ? {} : { description }),
			...(schema === undefined ? {} : { schema }),
		},
	};
}

function providerOptions(
	wire: Wire,
	{ model, tools, response_format: format }: ModelRequest,
	warnings: Set<string>,
): NonNullable<LanguageModelV4CallOptions["providerOptions"]> {
	const isParallel = tools?.disable_parallel_tool_calls === undefined ? undefined : !tools.disable_parallel_tool_calls;
	const parallelOfOpenAI = isParallel === undefined ? {} : { parallelToolCalls: isParallel };
	const parallelOfAnthropic = isParallel === undefined ? {} : { disableParallelToolUse: !isParallel };
	const strictJsonSchema = format?.json_schema.strict ?? false;
	switch (wire) {
		case "chat":
			return { openai: { strictJsonSchema, ...parallelOfOpenAI }, compatible: { strictJsonSchema } };
		case "responses":
			// The provider keeps no copy of what is sent, unless `extra_body` asks for it.
			return { openai: { strictJsonSchema, ...parallelOfOpenAI, store: false } };
		case "messages":
			return { anthropic: { ...parallelOfAnthropic, toolStreaming: false } };
		case "converse":
			if (isParallel === false && !isClaude(model)) warnings.add(notSaid("disable_parallel_tool_calls", wire));
			return { anthropic: parallelOfAnthropic };
		case "gemini":
			if (isParallel === false) warnings.add(notSaid("disable_parallel_tool_calls", wire));
			return {};
	}
}

function putParallel(body: Record<string, unknown>, { tools }: ModelRequest): void {
	if (tools?.disable_parallel_tool_calls !== undefined) {
		body["parallel_tool_calls"] = !tools.disable_parallel_tool_calls;
	}
}

/** OpenAI knows two roles for what the library calls system messages. */
function putSystemRoles(body: Record<string, unknown>, wire: Wire, roles: readonly string[]): void {
	const member = wire === "chat" ? "messages" : wire === "responses" ? "input" : undefined;
	if (member === undefined) return;
	const messages = body[member];
	if (!Array.isArray(messages)) return;
	const left = [...roles];
	body[member] = messages.map((message: unknown) => {
		if (!isJsonObject(message)) return message;
		const { role } = message;
		if (role !== "system" && role !== "developer") return message;
		return { ...message, role: left.shift() ?? role };
	});
}

/** Tools in the provider's own words, at the place that they have among the others. */
function putRawTools(body: Record<string, unknown>, wire: Wire, tools: readonly Tool[]): void {
	if (tools.every(({ type }) => type !== "raw")) return;
	if (wire === "gemini") {
		const raw = tools.flatMap((tool) => (tool.type === "raw" ? [tool.raw] : []));
		body["tools"] = [...listOf(body["tools"]), ...raw];
		return;
	}
	const holder = wire === "converse" ? { ...(isJsonObject(body["toolConfig"]) ? body["toolConfig"] : {}) } : body;
	const made = [...listOf(holder["tools"])];
	const all = tools.flatMap((tool) => (tool.type === "raw" ? [tool.raw] : made.splice(0, 1)));
	// What is left is of the library, such as a tool that stands for a response format.
	holder["tools"] = [...all, ...made];
	if (wire === "converse") body["toolConfig"] = holder;
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** Says what the library did to a schema that the provider does not take as it is. */
function noteSchema(
	body: JsonObject,
	wire: Wire,
	{ response_format: format }: ModelRequest,
	warnings: Set<string>,
): void {
	const schema = format?.json_schema.schema;
	if (schema === undefined) return;
	const sent = schemaSent(body, wire);
	if (sent === undefined) {
		if (wire === "messages" || wire === "converse" || wire === "gemini") {
			warnings.add("The response format is sent as a tool that the model has to call: this model has no other way.");
		}
		return;
	}
	if (!isDeepStrictEqual(sent, schema)) {
		warnings.add(
			"The schema of the response format is sent as far as the provider takes it: the answer may not fit all of it.",
		);
	}
}

function schemaSent(body: JsonObject, wire: Wire): unknown {
	const at = (...path: readonly string[]) =>
		path.reduce<unknown>((value, member) => (isJsonObject(value) ? value[member] : undefined), body);
	switch (wire) {
		case "chat":
			return at("response_format", "json_schema", "schema");
		case "responses":
			return at("text", "format", "schema");
		case "messages":
			return at("output_config", "format", "schema");
		case "gemini":
			return at("generationConfig", "responseJsonSchema");
		case "converse":
			return at("additionalModelRequestFields", "output_config", "format", "schema");
	}
}

/** Parameters that the library sends because the provider or the model needs them. */
function noteAddedParameters(made: JsonObject, sent: JsonObject, given: JsonObject, warnings: Set<string>): void {
	for (const member of ["max_tokens", "reasoning_effort"]) {
		const value = sent[member];
		if (made[member] === undefined || Object.hasOwn(given, member)) continue;
		if (typeof value === "string" || typeof value === "number") {
			warnings.add(`\`${member}\` was not given; ${value} is sent, as this model needs one.`);
		}
	}
}
