import { piecesOf, splitText } from "../answers.ts";
import {
	type Answer,
	type CallMessage,
	type CallTool,
	type ErrorAnswer,
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
import { dataEvent } from "./sse.ts";

/** `models/<model>:<method>`, below `/v1beta` of Gemini's own address or a project of Vertex. */
export const GEMINI_PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Members of `generationConfig` by the names of Chat Completions. */
const PARAMETERS = {
	temperature: "temperature",
	top_p: "topP",
	top_k: "topK",
	max_tokens: "maxOutputTokens",
	stop: "stopSequences",
	seed: "seed",
	frequency_penalty: "frequencyPenalty",
	presence_penalty: "presencePenalty",
	reasoning_effort: "thinkingConfig",
} as const;
const KNOWN = [
	"contents",
	"systemInstruction",
	"tools",
	"toolConfig",
	"generationConfig",
	"safetySettings",
	"cachedContent",
	"labels",
	"serviceTier",
	"model",
];
const STATUS: Readonly<Record<number, string>> = {
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	403: "PERMISSION_DENIED",
	404: "NOT_FOUND",
	409: "ABORTED",
	429: "RESOURCE_EXHAUSTED",
	499: "CANCELLED",
	500: "INTERNAL",
	503: "UNAVAILABLE",
	504: "DEADLINE_EXCEEDED",
};
const FINISH: Readonly<Record<Answer["finish"], string>> = {
	stop: "STOP",
	length: "MAX_TOKENS",
	tool_calls: "STOP",
	content_filter: "SAFETY",
};

/** What a client sends that has none. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Gemini's `generateContent`, by Google's own address and by Vertex. */
export const gemini: Wire = {
	name: "gemini",
	streamType: "text/event-stream",
	read,
	writeWhole: (call, answer) => writeChunk(call, answer, writeParts(answer), { isLast: true }),
	writeStream,
	brokenEvent: 'data: {"candidates": [{"content": {"parts": [{"text": "he\n\n',
	writeErrorEvent: (error) => dataEvent(errorBody(error)),
	refuse,
	writeError,
	keyOf: ({ headers, query }) => {
		const key = headers["x-goog-api-key"] ?? query.get("key");
		return typeof key === "string" ? key : bearerOf(headers);
	},
};

function refuse(kind: ErrorKind, model: string, parameter = ""): ProviderError {
	switch (kind) {
		case "authentication":
			return new ProviderError(kind, 400, "API key not valid. Please pass a valid API key.");
		case "permission":
			return new ProviderError(kind, 403, "The caller does not have permission");
		case "not_found": {
			const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
			return new ProviderError(kind, 404, message);
		}
		case "quota":
			return new ProviderError(
				kind,
				429,
				"You exceeded your current quota, please check your plan and billing details.",
			);
		case "rate_limit":
			return new ProviderError(kind, 429, "Resource has been exhausted (e.g. check quota).");
		case "overloaded":
			return new ProviderError(kind, 503, "The model is overloaded. Please try again later.");
		case "context": {
			const message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
			return new ProviderError(kind, 400, message);
		}
		case "unsupported":
			return new ProviderError(kind, 400, `${parameter} is not supported for this model.`, parameter);
		case "filter":
			return new ProviderError(kind, 200, "SAFETY");
		case "invalid":
			return new ProviderError(kind, 400, "Request contains an invalid argument.");
		case "server":
			return new ProviderError(kind, 500, "An internal error has occurred. Please retry.");
	}
}

function writeError(error: ProviderError, { path }: Pick<IncomingCall, "path">): ErrorAnswer {
	// A prompt that is filtered is answered, without an answer in it.
	if (error.kind === "filter") {
		const usageMetadata = { promptTokenCount: 8, totalTokenCount: 8 };
		return { body: { promptFeedback: { blockReason: error.message }, usageMetadata } };
	}
	// By Vertex, who is not known is answered otherwise than with a key that is wrong.
	if (error.kind === "authentication" && path.includes("/projects/"))
		return {
			status: 401,
			body: errorBody(new ProviderError("authentication", 401, "Request had invalid credentials.")),
		};
	return { body: errorBody(error) };
}

function errorBody({ kind, status, message }: ProviderError): JsonObject {
	const details =
		kind === "authentication" && status === 400
			? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" }]
			: [];
	return {
		error: { code: status, message, status: STATUS[status] ?? "UNKNOWN", ...(details.length > 0 ? { details } : {}) },
	};
}

function read({ path, query, body, id }: IncomingCall): ModelCall {
	const [, name = "", method] = GEMINI_PATH.exec(path) ?? [];
	const isStreamed = method === "streamGenerateContent";
	if (isStreamed && query.get("alt") !== "sse") throw invalid("Streams are answered with alt=sse only.");
	const unknown = Object.keys(body).find((member) => !KNOWN.includes(member));
	if (unknown !== undefined)
		throw invalid(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`, unknown);
	const config = objectOf(body["generationConfig"]);
	const parameters = new Map<string, string>();
	for (const [known, own] of Object.entries(PARAMETERS)) if (config[own] !== undefined) parameters.set(known, own);
	const tools = listOf(body["tools"]).map(objectOf).flatMap(readTools);
	if (tools.length > 0) parameters.set("tools", "tools");
	const schema = config["responseJsonSchema"] ?? config["responseSchema"];
	if (isObject(schema)) parameters.set("json_schema", "responseJsonSchema");
	const isJson = config["responseMimeType"] === "application/json";
	if (isObject(schema) && !isJson) throw invalid("Response schema is only supported for JSON responses.");
	const thinking = objectOf(config["thinkingConfig"]);
	return {
		model: decodeURIComponent(name),
		isStreamed,
		messages: [...readSystem(body["systemInstruction"]), ...readContents(body["contents"])],
		tools,
		toolChoice: readToolChoice(objectOf(objectOf(body["toolConfig"])["functionCallingConfig"])),
		schema: isObject(schema) ? schema : isJson ? "any object" : undefined,
		maxTokens: numberOf(config["maxOutputTokens"]),
		wantsReasoning: thinking["includeThoughts"] === true,
		parameters,
		streamsUsage: true,
		id,
	};
}

function readSystem(value: unknown): readonly CallMessage[] {
	if (value === undefined) return [];
	const text = listOf(objectOf(value)["parts"]).map((part) => textOf(objectOf(part)["text"]) ?? "");
	return [{ role: "system", text: text.join(""), images: [], toolCalls: [], toolResults: [] }];
}

function readContents(value: unknown): readonly CallMessage[] {
	const contents = listOf(value).map(objectOf);
	if (contents.length === 0) throw invalid("contents are required");
	const messages = contents.map(readContent);
	for (const [index, message] of messages.entries()) {
		if (message.toolResults.length === 0) continue;
		const called = messages[index - 1]?.toolCalls.length ?? 0;
		if (called !== message.toolResults.length)
			throw invalid(
				"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
			);
	}
	return messages;
}

function readContent({ role = "user", parts }: JsonObject): CallMessage {
	if (role !== "user" && role !== "model" && role !== "function")
		throw invalid("Please use a valid role: user, model.");
	const texts: string[] = [];
	const images: CallMessage["images"][number][] = [];
	const toolCalls: CallMessage["toolCalls"][number][] = [];
	const toolResults: string[] = [];
	for (const [index, part] of listOf(parts).map(objectOf).entries()) {
		const { text, inlineData, functionCall, functionResponse, thoughtSignature } = part;
		if (thoughtSignature !== undefined && thoughtSignature !== THOUGHT_SIGNATURE && thoughtSignature !== NO_SIGNATURE)
			throw invalid("Corrupted thought signature.");
		if (typeof text === "string") texts.push(text);
		else if (isObject(inlineData)) images.push(readImage(inlineData["mimeType"], inlineData["data"]));
		else if (isObject(functionCall)) {
			const name = textOf(functionCall["name"]) ?? "";
			toolCalls.push({ id: `${name}-${index}`, name, arguments: JSON.stringify(functionCall["args"] ?? {}) });
		} else if (isObject(functionResponse)) {
			if (!isObject(functionResponse["response"])) throw invalid("function_response.response: a Struct is required");
			toolResults.push(textOf(functionResponse["name"]) ?? "");
			texts.push(JSON.stringify(functionResponse["response"]));
		} else throw invalid("contents.parts must not be empty.");
	}
	return { role: role === "model" ? "assistant" : "user", text: texts.join(""), images, toolCalls, toolResults };
}

function readTools({ functionDeclarations }: JsonObject): readonly CallTool[] {
	return listOf(functionDeclarations)
		.map(objectOf)
		.map(({ name, parameters, parametersJsonSchema }) => {
			if (typeof name !== "string") throw invalid("Invalid function name.");
			return { name, schema: objectOf(parametersJsonSchema ?? parameters) };
		});
}

function readToolChoice({ mode, allowedFunctionNames }: JsonObject): ToolChoice {
	if (mode === "NONE") return "none";
	if (mode !== "ANY") return "auto";
	const [name] = listOf(allowedFunctionNames);
	return typeof name === "string" ? { name } : "required";
}

function writeParts(answer: Answer): readonly JsonObject[] {
	const parts: JsonObject[] = [];
	if (answer.reasoning !== "") parts.push({ text: answer.reasoning, thought: true });
	if (answer.text !== "") parts.push({ text: answer.text });
	for (const [index, call] of answer.toolCalls.entries()) {
		// Of calls that are made at once, the first has it.
		const signed = answer.reasoning !== "" && index === 0 ? { thoughtSignature: THOUGHT_SIGNATURE } : {};
		parts.push({ functionCall: { name: call.name, args: JSON.parse(call.arguments) }, ...signed });
	}
	return parts;
}

function* writeStream(call: ModelCall, answer: Answer): Iterable<StreamEvent> {
	const event = (part: JsonObject): StreamEvent => ({
		bytes: dataEvent(writeChunk(call, answer, [part], { isLast: false })),
	});
	for (const text of splitText(answer.reasoning)) yield event({ text, thought: true });
	for (const text of piecesOf(answer)) yield event({ text });
	for (const part of writeParts(answer).filter((part) => isObject(part["functionCall"]))) yield event(part);
	yield { bytes: dataEvent(writeChunk(call, answer, [{ text: "" }], { isLast: true })), part: "final" };
}

function writeChunk(
	{ id }: ModelCall,
	{ finish, usage, model }: Answer,
	parts: readonly JsonObject[],
	{ isLast }: { readonly isLast: boolean },
): JsonObject {
	const end = isLast ? { finishReason: FINISH[finish] } : {};
	return {
		candidates: [{ content: { parts, role: "model" }, index: 0, ...end }],
		...(usage === undefined ? {} : { usageMetadata: writeUsage(usage) }),
		modelVersion: model,
		responseId: id,
	};
}

function writeUsage({ input, output, cacheRead, reasoning }: NonNullable<Answer["usage"]>): JsonObject {
	return {
		promptTokenCount: input,
		candidatesTokenCount: output - reasoning,
		totalTokenCount: input + output,
		...(cacheRead === 0 ? {} : { cachedContentTokenCount: cacheRead }),
		...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
		promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
	};
}
