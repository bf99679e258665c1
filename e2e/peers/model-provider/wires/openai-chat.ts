import { piecesOf, splitText } from "../answers.ts";
import {
	type Answer,
	type CallMessage,
	type CallTool,
	type IncomingCall,
	invalid,
	type ModelCall,
	ProviderError,
	type StreamEvent,
	type ToolCall,
	type ToolChoice,
	type Wire,
} from "../call.ts";
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from "../json.ts";
import { readDataUrl } from "./images.ts";
import { checkStrictSchema, errorObject, isAzure, keyOf, refuse, writeError } from "./openai-errors.ts";
import { dataEvent } from "./sse.ts";

const ROLES: Readonly<Record<string, CallMessage["role"]>> = {
	system: "system",
	developer: "system",
	user: "user",
	assistant: "assistant",
	tool: "tool",
};
const PARAMETERS = [
	"temperature",
	"top_p",
	"max_tokens",
	"max_completion_tokens",
	"stop",
	"seed",
	"frequency_penalty",
	"presence_penalty",
	"reasoning_effort",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"response_format",
	"stream_options",
	"n",
] as const;

/** OpenAI's Chat Completions, which most others speak too; reasoning as they send it. */
export const openaiChat: Wire = {
	name: "openai-chat",
	streamType: "text/event-stream",
	read,
	writeWhole,
	writeStream,
	brokenEvent: 'data: {"id":"chatcmpl-broken","choices":[{"index":0,"delta":{"content":"he\n\n',
	writeErrorEvent: (error) => dataEvent({ error: errorObject(error) }),
	refuse,
	writeError,
	keyOf,
};

function read({ path, query, headers, body, id }: IncomingCall): ModelCall {
	const deployment = /\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
	if (deployment !== undefined && query.get("api-version") === null)
		throw new ProviderError("invalid", 404, "Resource not found");
	const model = deployment === undefined ? textOf(body["model"]) : decodeURIComponent(deployment);
	if (model === undefined || model === "") throw invalid("you must provide a model parameter");
	const messages = listOf(body["messages"]).map(readMessage);
	if (messages.length === 0)
		throw invalid("Invalid 'messages': empty array. Expected at least one message.", "messages");
	checkToolResults(messages);
	const format = objectOf(body["response_format"]);
	const parameters = new Map<string, string>();
	for (const name of PARAMETERS) if (body[name] !== undefined && body[name] !== null) parameters.set(name, name);
	if (format["type"] === "json_schema") parameters.set("json_schema", "response_format");
	const effort = textOf(body["reasoning_effort"]);
	return {
		model,
		isStreamed: body["stream"] === true,
		messages,
		tools: listOf(body["tools"]).map(readTool),
		toolChoice: readToolChoice(body["tool_choice"]),
		schema: readFormat(format, messages),
		maxTokens: numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]),
		wantsReasoning: effort !== undefined && effort !== "none" && !isAzure(path, headers),
		parameters,
		streamsUsage: objectOf(body["stream_options"])["include_usage"] === true,
		id,
	};
}

function readMessage(value: unknown, index: number): CallMessage {
	const message = objectOf(value);
	const role = ROLES[textOf(message["role"]) ?? ""];
	if (role === undefined) throw invalid(`Invalid value: '${String(message["role"])}'.`, `messages[${index}].role`);
	const { content } = message;
	const parts = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf);
	const toolCalls = listOf(message["tool_calls"]).map(objectOf).map(readToolCall);
	const hasContent = parts.length > 0 || toolCalls.length > 0 || textOf(message["refusal"]) !== undefined;
	if (!hasContent)
		throw invalid("Invalid value for 'content': expected a string, got null.", `messages[${index}].content`);
	return {
		role,
		text: parts.map((part) => textOf(part["text"]) ?? "").join(""),
		images: parts.flatMap((part) => {
			if (part["type"] === "image_url") return readDataUrl(objectOf(part["image_url"])["url"]);
			if (part["type"] === "text" || part["type"] === "refusal") return [];
			throw invalid(`Invalid value: '${String(part["type"])}'.`, `messages[${index}].content`);
		}),
		toolCalls,
		toolResults: role === "tool" ? [textOf(message["tool_call_id"]) ?? ""] : [],
	};
}

function readToolCall(call: JsonObject): ToolCall {
	const { name, arguments: json } = objectOf(call["function"]);
	const id = textOf(call["id"]);
	if (id === undefined || typeof name !== "string" || typeof json !== "string") throw invalid("Invalid tool call.");
	return { id, name, arguments: json };
}

/** @throws ProviderError when a call has no result, or a result no call */
export function checkToolResults(messages: readonly CallMessage[]): void {
	let open = new Set<string>();
	for (const message of messages) {
		if (message.role === "tool") {
			for (const id of message.toolResults) {
				if (!open.delete(id))
					throw invalid("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.");
			}
			continue;
		}
		if (open.size > 0) break;
		open = new Set(message.toolCalls.map((call) => call.id));
	}
	if (open.size === 0) return;
	const start =
		"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
	throw invalid(`${start} The following did not have response messages: ${Array.from(open).join(", ")}`);
}

function readTool(value: unknown): CallTool {
	const tool = objectOf(value);
	const { name, parameters, strict } = objectOf(tool["function"]);
	if (tool["type"] !== "function" || typeof name !== "string") throw invalid("Invalid tool.", "tools");
	if (strict === true) checkStrictSchema(parameters, `function '${name}'`);
	return { name, schema: objectOf(parameters) };
}

export function readToolChoice(value: unknown): ToolChoice {
	if (value === "none" || value === "required") return value;
	if (!isObject(value)) return "auto";
	const name = textOf(value["name"]) ?? textOf(objectOf(value["function"])["name"]);
	return name === undefined ? "auto" : { name };
}

function readFormat(format: JsonObject, messages: readonly CallMessage[]): ModelCall["schema"] {
	if (format["type"] === "json_object") {
		if (messages.every((message) => !/json/i.test(message.text)))
			throw invalid(
				"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
			);
		return "any object";
	}
	if (format["type"] !== "json_schema") return undefined;
	const { schema, strict } = objectOf(format["json_schema"]);
	if (strict === true) checkStrictSchema(schema, "response_format");
	return isObject(schema) ? schema : "any object";
}

const FINISH = { stop: "stop", length: "length", tool_calls: "tool_calls", content_filter: "content_filter" } as const;

function writeWhole(call: ModelCall, answer: Answer): JsonObject {
	const message = {
		role: "assistant",
		content: answer.isRefusal || (answer.text === "" && answer.toolCalls.length > 0) ? null : answer.text,
		refusal: answer.isRefusal ? answer.text : null,
		...(answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning }),
		...(answer.toolCalls.length === 0 ? {} : { tool_calls: answer.toolCalls.map(writeToolCall) }),
	};
	return {
		...start(call, answer, "chat.completion"),
		choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[answer.finish] }],
		...(answer.usage === undefined ? {} : { usage: writeUsage(answer.usage) }),
	};
}

function writeToolCall({ id, name, arguments: json }: ToolCall): JsonObject {
	return { id, type: "function", function: { name, arguments: json } };
}

function* writeStream(call: ModelCall, answer: Answer): Iterable<StreamEvent> {
	const common = start(call, answer, "chat.completion.chunk");
	const chunk = (delta: JsonObject, finish: string | null = null): string =>
		dataEvent({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
	yield { bytes: chunk({ role: "assistant", content: answer.toolCalls.length > 0 && answer.text === "" ? null : "" }) };
	for (const piece of splitText(answer.reasoning)) yield { bytes: chunk({ reasoning_content: piece }) };
	for (const piece of piecesOf(answer)) {
		yield { bytes: chunk(answer.isRefusal ? { refusal: piece } : { content: piece }) };
	}
	for (const [index, { id, name, arguments: json }] of answer.toolCalls.entries()) {
		yield { bytes: chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }) };
		for (const piece of splitText(json))
			yield { bytes: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }) };
	}
	yield { bytes: chunk({}, FINISH[answer.finish]), part: "final" };
	if (call.streamsUsage && answer.usage !== undefined)
		yield { bytes: dataEvent({ ...common, choices: [], usage: writeUsage(answer.usage) }), part: "final" };
	yield { bytes: "data: [DONE]\n\n", part: "done" };
}

function start({ id }: ModelCall, { model }: Answer, object: string): JsonObject {
	return { id: `chatcmpl-${id}`, object, created: Math.floor(Date.now() / 1_000), model, system_fingerprint: "fp_1" };
}

function writeUsage({ input, output, cacheRead, reasoning }: NonNullable<Answer["usage"]>): JsonObject {
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
		completion_tokens_details: {
			reasoning_tokens: reasoning,
			audio_tokens: 0,
			accepted_prediction_tokens: 0,
			rejected_prediction_tokens: 0,
		},
	};
}
