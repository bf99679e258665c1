import { compact } from "./compact.ts";
import { decoded, decodedArguments, field, isList, isObject, type PlainObject } from "./json.ts";
import type { Plain, ToolCall } from "./model.ts";

/** The calls in a list of any known form (OpenAI, Anthropic, AI SDK, LangChain, Bedrock, Gemini). */
export function readToolCalls(value: Plain | undefined): ToolCall[] {
	const list = decoded(value);
	if (!isList(list)) return [];
	return list.map(decoded).flatMap((item) => (isObject(item) ? (readToolCall(item) ?? []) : []));
}

/** One call; undefined when the object names no tool. */
export function readToolCall(item: PlainObject): ToolCall | undefined {
	const outer = firstObject(item, ["tool_call", "toolUse", "functionCall", "function_call"]) ?? item;
	const inner = firstObject(outer, ["function"]) ?? outer;
	const name = firstText(inner, ["name", "toolName", "tool_name", "function.name"]);
	if (name === undefined) return undefined;
	return compact<ToolCall>({
		// In the responses API, `id` is that of the item, and the result refers to `call_id`.
		id: firstText(outer, ["call_id", "callId", "id", "toolCallId", "tool_call_id", "toolUseId"]),
		name,
		arguments: decodedArguments(
			first(inner, ["arguments", "args", "input", "parameters", "arguments_json"]) ??
				first(item, ["arguments", "input"]),
		),
	});
}

function firstObject(item: PlainObject, keys: readonly string[]): PlainObject | undefined {
	for (const key of keys) {
		const value = field(item, key);
		if (isObject(value)) return value;
	}
	return undefined;
}

function first(item: PlainObject, keys: readonly string[]): Plain | undefined {
	for (const key of keys) {
		const value = field(item, key);
		if (value !== undefined && value !== null) return value;
	}
	return undefined;
}

function firstText(item: PlainObject, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		const value = field(item, key);
		if (typeof value === "string" && value !== "") return value;
	}
	return undefined;
}
