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
import { encodeEvent, encodeException, encodeMessage } from "./event-stream.ts";
import { readImage } from "./images.ts";
import { bearerOf } from "./openai-errors.ts";

export const BEDROCK_PATH = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

/** Members of `inferenceConfig` by the names of Chat Completions. */
const PARAMETERS = {
	temperature: "temperature",
	top_p: "topP",
	max_tokens: "maxTokens",
	stop: "stopSequences",
} as const;
const EXCEPTIONS: Readonly<Record<ErrorKind, string>> = {
	authentication: "UnrecognizedClientException",
	permission: "AccessDeniedException",
	not_found: "ResourceNotFoundException",
	quota: "ServiceQuotaExceededException",
	rate_limit: "ThrottlingException",
	overloaded: "ServiceUnavailableException",
	server: "InternalServerException",
	context: "ValidationException",
	unsupported: "ValidationException",
	filter: "ValidationException",
	invalid: "ValidationException",
};
const FINISH: Readonly<Record<Answer["finish"], string>> = {
	stop: "end_turn",
	length: "max_tokens",
	tool_calls: "tool_use",
	content_filter: "content_filtered",
};

/** Converse and ConverseStream of Amazon Bedrock. */
export const bedrock: Wire = {
	name: "bedrock",
	streamType: "application/vnd.amazon.eventstream",
	read,
	writeWhole,
	writeStream,
	brokenEvent: encodeMessage(
		{ ":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event" },
		'{"contentBlockIndex":0,"delta":{"text":"he',
	),
	writeErrorEvent: (error) => encodeException("modelStreamErrorException", error.message),
	refuse,
	writeError: (error) => ({
		headers: { "x-amzn-errortype": `${EXCEPTIONS[error.kind]}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
		body: { message: error.message },
	}),
	keyOf: ({ headers }) => bearerOf(headers),
};

function refuse(kind: ErrorKind, model: string, parameter = ""): ProviderError | undefined {
	switch (kind) {
		case "authentication":
			return new ProviderError(kind, 403, "The security token included in the request is invalid.");
		case "permission":
			return new ProviderError(kind, 403, "You don't have access to the model with the specified model ID.");
		case "not_found":
			return new ProviderError(kind, 404, `Could not resolve the foundation model from the model identifier: ${model}`);
		case "quota":
			return new ProviderError(kind, 400, "Your request exceeds the service quota for your account.");
		case "rate_limit":
			return new ProviderError(kind, 429, "Too many requests, please wait before trying again.");
		case "overloaded":
			return new ProviderError(kind, 503, "The service is currently unavailable. Try again later.");
		case "context":
			return new ProviderError(kind, 400, "Input is too long for requested model.");
		case "unsupported": {
			const message = `The model returned the following errors: \`${parameter}\` is not supported by this model.`;
			return new ProviderError(kind, 400, message, parameter);
		}
		case "filter":
			return undefined;
		case "invalid":
			return new ProviderError(kind, 400, "The request is not valid.");
		case "server":
			return new ProviderError(kind, 500, "The system encountered an unexpected error during processing.");
	}
}

function read({ path, body, id }: IncomingCall): ModelCall {
	const [, model = "", method] = BEDROCK_PATH.exec(path) ?? [];
	const config = objectOf(body["inferenceConfig"]);
	const further = objectOf(body["additionalModelRequestFields"]);
	const toolConfig = objectOf(body["toolConfig"]);
	const parameters = new Map<string, string>();
	for (const [name, own] of Object.entries(PARAMETERS)) if (config[own] !== undefined) parameters.set(name, own);
	if (further["top_k"] !== undefined) parameters.set("top_k", "top_k");
	if (further["thinking"] !== undefined) parameters.set("reasoning_effort", "thinking");
	const tools = listOf(toolConfig["tools"]).map(objectOf).flatMap(readTool);
	if (body["toolConfig"] !== undefined && tools.length === 0)
		throw invalid("The value at toolConfig.tools must have length greater than or equal to 1.");
	if (tools.length > 0) parameters.set("tools", "toolConfig");
	const schema = readSchema(body, further);
	if (schema !== undefined) parameters.set("json_schema", "output_config.format");
	const messages = readMessages(body["messages"]);
	const hasToolBlocks = messages.some(({ toolCalls, toolResults }) => toolCalls.length + toolResults.length > 0);
	if (hasToolBlocks && tools.length === 0)
		throw invalid("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
	const system = listOf(body["system"]).map((block) => textOf(objectOf(block)["text"]) ?? "");
	return {
		model: decodeURIComponent(model),
		isStreamed: method === "converse-stream",
		messages: [...(system.length === 0 ? [] : [message("system", system.join(""))]), ...messages],
		tools,
		toolChoice: readToolChoice(objectOf(toolConfig["toolChoice"])),
		schema,
		maxTokens: numberOf(config["maxTokens"]),
		wantsReasoning: ["enabled", "adaptive"].includes(String(objectOf(further["thinking"])["type"])),
		parameters,
		streamsUsage: true,
		id,
	};
}

function message(role: CallMessage["role"], text: string, more: Partial<CallMessage> = {}): CallMessage {
	return { role, text, images: [], toolCalls: [], toolResults: [], ...more };
}

function readMessages(value: unknown): readonly CallMessage[] {
	const messages = listOf(value).map(objectOf).map(readMessage);
	if (messages.length === 0) throw invalid("A conversation must have at least one message.");
	if (messages[0]?.role !== "user") throw invalid("A conversation must start with a user message.");
	for (const [index, { role }] of messages.entries()) {
		if (index > 0 && messages[index - 1]?.role === role)
			throw invalid("A conversation must alternate between user and assistant roles.");
	}
	return messages;
}

function readMessage({ role, content }: JsonObject): CallMessage {
	if (role !== "user" && role !== "assistant") throw invalid("The role has to be user or assistant.");
	const texts: string[] = [];
	const images: CallMessage["images"][number][] = [];
	const toolCalls: CallMessage["toolCalls"][number][] = [];
	const toolResults: string[] = [];
	for (const block of listOf(content).map(objectOf)) {
		const { text, image, toolUse, toolResult, reasoningContent, cachePoint } = block;
		const { reasoningText } = objectOf(reasoningContent);
		if (reasoningText !== undefined && objectOf(reasoningText)["signature"] !== THOUGHT_SIGNATURE)
			throw invalid("The signature of a reasoning block is invalid.");
		if (typeof text === "string") {
			if (text.trim() === "") throw invalid("The text field in the ContentBlock object is blank.");
			texts.push(text);
		} else if (isObject(image)) {
			images.push(readImage(`image/${String(image["format"])}`, objectOf(image["source"])["bytes"]));
		} else if (isObject(toolUse)) {
			const { toolUseId, name, input } = toolUse;
			toolCalls.push({ id: String(toolUseId), name: String(name), arguments: JSON.stringify(input ?? {}) });
		} else if (isObject(toolResult)) {
			toolResults.push(String(toolResult["toolUseId"]));
			texts.push(JSON.stringify(toolResult["content"]));
		} else if (reasoningContent === undefined && cachePoint === undefined) {
			throw invalid("A ContentBlock object has no member that is set.");
		}
	}
	return message(role, texts.join(""), { images, toolCalls, toolResults });
}

function readTool({ toolSpec, cachePoint }: JsonObject): readonly CallTool[] {
	if (cachePoint !== undefined) return [];
	const { name, inputSchema } = objectOf(toolSpec);
	if (typeof name !== "string") throw invalid("The toolSpec has no name.");
	return [{ name, schema: objectOf(objectOf(inputSchema)["json"]) }];
}

function readToolChoice({ any, tool }: JsonObject): ToolChoice {
	if (any !== undefined) return "required";
	const name = textOf(objectOf(tool)["name"]);
	return name === undefined ? "auto" : { name };
}

/** Structured output is asked for in the way of Converse, or in that of Anthropic's models. */
function readSchema(body: JsonObject, further: JsonObject): ModelCall["schema"] {
	const format = objectOf(objectOf(body["outputConfig"])["textFormat"]);
	const text = textOf(objectOf(objectOf(format["structure"])["jsonSchema"])["schema"]);
	if (text !== undefined) return objectOf(JSON.parse(text));
	const schema = objectOf(objectOf(further["output_config"])["format"])["schema"];
	return isObject(schema) ? schema : undefined;
}

function writeWhole(_call: ModelCall, answer: Answer): JsonObject {
	const content: JsonObject[] = [];
	if (answer.reasoning !== "") {
		const reasoningText = { text: answer.reasoning, signature: THOUGHT_SIGNATURE };
		content.push({ reasoningContent: { reasoningText } });
	}
	if (answer.text !== "") content.push({ text: answer.text });
	for (const { id, name, arguments: json } of answer.toolCalls)
		content.push({ toolUse: { toolUseId: id, name, input: JSON.parse(json) } });
	return {
		output: { message: { role: "assistant", content } },
		stopReason: FINISH[answer.finish],
		usage: writeUsage(answer),
		metrics: { latencyMs: 1 },
	};
}

function* writeStream(_call: ModelCall, answer: Answer): Iterable<StreamEvent> {
	const event = (type: string, payload: JsonObject): StreamEvent => ({
		// Bedrock pads payloads, so that their lengths tell nothing.
		bytes: encodeEvent(type, { ...payload, p: "abcdefgh" }),
	});
	let contentBlockIndex = 0;
	const delta = (members: JsonObject) => event("contentBlockDelta", { contentBlockIndex, delta: members });
	const stop = () => event("contentBlockStop", { contentBlockIndex: contentBlockIndex++ });
	yield event("messageStart", { role: "assistant" });
	if (answer.reasoning !== "") {
		for (const text of splitText(answer.reasoning)) yield delta({ reasoningContent: { text } });
		yield delta({ reasoningContent: { signature: THOUGHT_SIGNATURE } });
		yield stop();
	}
	if (answer.text !== "") {
		for (const text of piecesOf(answer)) yield delta({ text });
		yield stop();
	}
	for (const { id, name, arguments: json } of answer.toolCalls) {
		yield event("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } });
		for (const input of splitText(json)) yield delta({ toolUse: { input } });
		yield stop();
	}
	yield { ...event("messageStop", { stopReason: FINISH[answer.finish] }), part: "final" };
	yield { ...event("metadata", { usage: writeUsage(answer), metrics: { latencyMs: 1 } }), part: "done" };
}

/** It always counts: without usage, nothing was used. */
function writeUsage({ usage }: Answer): JsonObject {
	const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
	return {
		inputTokens: input - cacheRead - cacheWrite,
		outputTokens: output,
		totalTokens: input + output,
		cacheReadInputTokens: cacheRead,
		cacheWriteInputTokens: cacheWrite,
	};
}
