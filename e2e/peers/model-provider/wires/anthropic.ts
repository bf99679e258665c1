import { piecesOf, splitText } from "../answers.ts";
import {
	type Answer,
	type CallMessage,
	type CallTool,
	type ErrorKind,
	type IncomingCall,
	invalid,
	type ModelCall,
	ProviderError,
	type StreamEvent,
	THOUGHT_SIGNATURE,
	type ToolChoice,
	type Wire,
} from "../call.ts";
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from "../json.ts";
import { readImage } from "./images.ts";
import { bearerOf } from "./openai-errors.ts";
import { namedEvent } from "./sse.ts";

/** Names of this wire by those of Chat Completions. */
const PARAMETERS = {
	temperature: "temperature",
	top_p: "top_p",
	top_k: "top_k",
	max_tokens: "max_tokens",
	stop: "stop_sequences",
	reasoning_effort: "thinking",
	tools: "tools",
	tool_choice: "tool_choice",
} as const;
/** Members that a request may have. */
const KNOWN = [
	...Object.values(PARAMETERS),
	"model",
	"messages",
	"system",
	"stream",
	"metadata",
	"service_tier",
	"output_config",
	"cache_control",
	"context_management",
	"container",
	"mcp_servers",
];
const ERROR_TYPES: Readonly<Record<ErrorKind, string>> = {
	authentication: "authentication_error",
	permission: "permission_error",
	not_found: "not_found_error",
	quota: "invalid_request_error",
	rate_limit: "rate_limit_error",
	overloaded: "overloaded_error",
	server: "api_error",
	context: "invalid_request_error",
	unsupported: "invalid_request_error",
	filter: "invalid_request_error",
	invalid: "invalid_request_error",
};
const FINISH: Readonly<Record<Answer["finish"], string>> = {
	stop: "end_turn",
	length: "max_tokens",
	tool_calls: "tool_use",
	content_filter: "refusal",
};

/** Anthropic's Messages. */
export const anthropic: Wire = {
	name: "anthropic",
	streamType: "text/event-stream; charset=utf-8",
	read,
	writeWhole,
	writeStream,
	brokenEvent: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_de\n\n',
	writeErrorEvent: (error) => namedEvent({ type: "error", error: errorObject(error) }),
	refuse,
	writeError: (error) => ({
		body: { type: "error", error: errorObject(error), request_id: "req_1" },
		headers: { "request-id": "req_1" },
	}),
	keyOf: ({ headers }) => {
		const key = headers["x-api-key"];
		return typeof key === "string" ? key : bearerOf(headers);
	},
};

function refuse(kind: ErrorKind, model: string, parameter = ""): ProviderError | undefined {
	switch (kind) {
		case "authentication":
			return new ProviderError(kind, 401, "invalid x-api-key");
		case "permission":
			return new ProviderError(kind, 403, "Your API key does not have permission to use the specified resource.");
		case "not_found":
			return new ProviderError(kind, 404, `model: ${model}`);
		case "quota": {
			const message =
				"Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits.";
			return new ProviderError(kind, 400, message);
		}
		case "rate_limit":
			return new ProviderError(
				kind,
				429,
				"This request would exceed your organization's rate limit of 50 requests per minute.",
			);
		case "overloaded":
			return new ProviderError(kind, 529, "Overloaded");
		case "context":
			return new ProviderError(kind, 400, "prompt is too long: 213462 tokens > 200000 maximum");
		case "unsupported":
			return new ProviderError(kind, 400, `\`${parameter}\` is not supported by this model.`, parameter);
		case "filter":
			return undefined;
		case "invalid":
			return new ProviderError(kind, 400, "The request body is not valid JSON.");
		case "server":
			return new ProviderError(kind, 500, "Internal server error");
	}
}

function errorObject({ kind, status, message }: ProviderError): JsonObject {
	// A status that an error has not by itself says more than its kind.
	const type = status === 402 ? "billing_error" : ERROR_TYPES[kind];
	return { type: status === 413 ? "request_too_large" : type, message };
}

function read({ headers, body, id }: IncomingCall): ModelCall {
	if (headers["anthropic-version"] === undefined) throw invalid("anthropic-version: header is required");
	const model = textOf(body["model"]);
	if (model === undefined) throw invalid("model: Field required");
	const maxTokens = numberOf(body["max_tokens"]);
	if (maxTokens === undefined) throw invalid("max_tokens: Field required");
	const temperature = numberOf(body["temperature"]) ?? 1;
	if (temperature < 0 || temperature > 1) throw invalid("temperature: range: 0..1");
	const unknown = Object.keys(body).find((name) => !KNOWN.includes(name));
	if (unknown !== undefined) throw invalid(`${unknown}: Extra inputs are not permitted`);
	const parameters = new Map<string, string>();
	for (const [name, own] of Object.entries(PARAMETERS)) if (body[own] !== undefined) parameters.set(name, own);
	const format = objectOf(objectOf(body["output_config"])["format"]);
	if (format["type"] === "json_schema") parameters.set("json_schema", "output_config.format");
	const thinking = textOf(objectOf(body["thinking"])["type"]);
	if (thinking === "enabled") checkThinking(body["messages"]);
	return {
		model,
		isStreamed: body["stream"] === true,
		messages: [...readSystem(body["system"]), ...readMessages(body["messages"])],
		tools: listOf(body["tools"]).map(objectOf).flatMap(readTool),
		toolChoice: readToolChoice(objectOf(body["tool_choice"])),
		schema: readFormat(format),
		maxTokens,
		wantsReasoning: thinking !== undefined && thinking !== "disabled",
		parameters,
		streamsUsage: true,
		id,
	};
}

/** A turn of tool use goes on with the thoughts that it began with. @throws ProviderError */
function checkThinking(value: unknown): void {
	const messages = listOf(value).map(objectOf);
	const at = messages.findLastIndex(({ role }) => role === "assistant");
	const blocks = listOf(messages[at]?.["content"]).map((block) => textOf(objectOf(block)["type"]));
	if (!blocks.includes("tool_use") || blocks[0] === "thinking" || blocks[0] === "redacted_thinking") return;
	throw invalid(
		`messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0]}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
	);
}

function message(role: CallMessage["role"], text: string, more: Partial<CallMessage> = {}): CallMessage {
	return { role, text, images: [], toolCalls: [], toolResults: [], ...more };
}

function readSystem(system: unknown): readonly CallMessage[] {
	if (system === undefined) return [];
	return [message("system", typeof system === "string" ? system : listOf(system).map(readText).join(""))];
}

function readText(block: unknown): string {
	const { text } = objectOf(block);
	if (typeof text !== "string" || text === "") throw invalid("messages: text content blocks must be non-empty");
	return text;
}

function readMessages(value: unknown): readonly CallMessage[] {
	const messages = listOf(value).map((item, index) => readMessage(objectOf(item), index));
	if (messages.length === 0) throw invalid("messages: at least one message is required");
	if (messages[0]?.role === "assistant") throw invalid("messages: first message must use the user role");
	let open: readonly string[] = [];
	for (const [index, { toolCalls, toolResults }] of messages.entries()) {
		const extra = toolResults.find((id) => !open.includes(id));
		const missing = open.find((id) => !toolResults.includes(id));
		if (extra !== undefined)
			throw invalid(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${extra}`);
		if (missing !== undefined)
			throw invalid(
				`messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`,
			);
		open = toolCalls.map((call) => call.id);
	}
	if (open.length > 0)
		throw invalid(`\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open[0]}`);
	return messages;
}

function readMessage({ role, content }: JsonObject, index: number): CallMessage {
	if (role !== "user" && role !== "assistant")
		throw invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
	if (typeof content === "string") return message(role, readText({ text: content }));
	const texts: string[] = [];
	const images: CallMessage["images"][number][] = [];
	const toolCalls: CallMessage["toolCalls"][number][] = [];
	const toolResults: string[] = [];
	for (const block of listOf(content).map(objectOf)) {
		const where = `messages.${index}.content: `;
		switch (block["type"]) {
			case "text":
				texts.push(readText(block));
				break;
			case "image": {
				const source = objectOf(block["source"]);
				images.push(readImage(source["media_type"], source["data"]));
				break;
			}
			case "tool_use": {
				const { id, name, input } = block;
				if (typeof id !== "string" || typeof name !== "string" || !isObject(input))
					throw invalid(`${where}tool_use.input: Input should be a valid dictionary`);
				toolCalls.push({ id, name, arguments: JSON.stringify(input) });
				break;
			}
			case "tool_result":
				toolResults.push(textOf(block["tool_use_id"]) ?? "");
				texts.push(typeof block["content"] === "string" ? block["content"] : JSON.stringify(block["content"] ?? ""));
				break;
			case "thinking":
				if (block["signature"] !== THOUGHT_SIGNATURE)
					throw invalid(`${where}Invalid \`signature\` in \`thinking\` block`);
				break;
			case "redacted_thinking":
				break;
			default:
				throw invalid(
					`${where}Input tag '${String(block["type"])}' found using 'type' does not match any of the expected tags`,
				);
		}
	}
	return message(role, texts.join(""), { images, toolCalls, toolResults });
}

function readTool({ name, input_schema: schema, type }: JsonObject): readonly CallTool[] {
	// Tools of the provider itself have a type and no schema.
	if (type !== undefined && type !== "custom") return [];
	if (typeof name !== "string" || !isObject(schema)) throw invalid("tools.0.custom.input_schema: Field required");
	return [{ name, schema }];
}

function readToolChoice({ type, name }: JsonObject): ToolChoice {
	if (type === "none") return "none";
	if (type === "any") return "required";
	return type === "tool" && typeof name === "string" ? { name } : "auto";
}

function readFormat({ type, schema }: JsonObject): ModelCall["schema"] {
	if (type !== "json_schema") return undefined;
	if (!isObject(schema)) throw invalid("output_config.format.schema: Field required");
	checkSchema(schema);
	return schema;
}

/** As the provider checks schemas of structured output. @throws ProviderError */
function checkSchema(schema: unknown): void {
	if (typeof schema !== "object" || schema === null) return;
	const { type, additionalProperties, minimum, maximum } = schema as JsonObject;
	const start = "output_config.format.schema: For";
	if (type === "object" && additionalProperties !== false)
		throw invalid(`${start} 'object' type, 'additionalProperties' must be explicitly set to false`);
	if ((type === "integer" || type === "number") && (minimum ?? maximum) !== undefined)
		throw invalid(`${start} '${type}' type, properties maximum, minimum are not supported`);
	for (const part of Object.values(schema)) checkSchema(part);
}

function writeWhole({ id }: ModelCall, answer: Answer): JsonObject {
	const content: JsonObject[] = [];
	if (answer.reasoning !== "")
		content.push({ type: "thinking", thinking: answer.reasoning, signature: THOUGHT_SIGNATURE });
	if (answer.text !== "") content.push({ type: "text", text: answer.text });
	for (const call of answer.toolCalls)
		content.push({ type: "tool_use", id: call.id, name: call.name, input: JSON.parse(call.arguments) });
	return {
		id: `msg_${id}`,
		type: "message",
		role: "assistant",
		model: answer.model,
		content,
		stop_reason: FINISH[answer.finish],
		stop_sequence: null,
		usage: writeUsage(answer, answer.usage?.output ?? 0),
	};
}

function* writeStream({ id }: ModelCall, answer: Answer): Iterable<StreamEvent> {
	const event = (type: string, members: JsonObject): StreamEvent => ({ bytes: namedEvent({ type, ...members }) });
	const message = {
		id: `msg_${id}`,
		type: "message",
		role: "assistant",
		model: answer.model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: writeUsage(answer, 1),
	};
	yield event("message_start", { message });
	yield event("ping", {});
	let index = 0;
	const delta = (members: JsonObject) => event("content_block_delta", { index, delta: members });
	if (answer.reasoning !== "") {
		yield event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } });
		for (const thinking of splitText(answer.reasoning)) yield delta({ type: "thinking_delta", thinking });
		yield delta({ type: "signature_delta", signature: THOUGHT_SIGNATURE });
		yield event("content_block_stop", { index: index++ });
	}
	if (answer.text !== "") {
		yield event("content_block_start", { index, content_block: { type: "text", text: "" } });
		for (const text of piecesOf(answer)) yield delta({ type: "text_delta", text });
		yield event("content_block_stop", { index: index++ });
	}
	for (const call of answer.toolCalls) {
		const block = { type: "tool_use", id: call.id, name: call.name, input: {} };
		yield event("content_block_start", { index, content_block: block });
		for (const partial_json of splitText(call.arguments)) yield delta({ type: "input_json_delta", partial_json });
		yield event("content_block_stop", { index: index++ });
	}
	const end = { stop_reason: FINISH[answer.finish], stop_sequence: null };
	const usage = writeUsage(answer, answer.usage?.output ?? 0);
	yield { ...event("message_delta", { delta: end, usage }), part: "final" };
	yield { ...event("message_stop", {}), part: "done" };
}

/** It always counts: without usage, nothing was used. */
function writeUsage({ usage }: Answer, output: number): JsonObject {
	const { input = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage ?? {};
	return {
		input_tokens: input - cacheRead - cacheWrite,
		cache_creation_input_tokens: cacheWrite,
		cache_read_input_tokens: cacheRead,
		output_tokens: output,
		...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
		service_tier: "standard",
	};
}
