import { compact } from "./compact.ts";
import { asText, decoded, field, isList, isObject, MAX_DEPTH, type PlainObject, renderJson } from "./json.ts";
import { imageUrl, isImage } from "./message-images.ts";
import { readMedia } from "./message-media.ts";
import type { Media, Message, MessagePart, Plain, ToolCall } from "./model.ts";
import { readToolCall } from "./tool-calls.ts";

export interface MessageParts {
	text: string | undefined;
	/** Texts and images in their order, where there are several. */
	inOrder: MessagePart[] | undefined;
	reasoning: string | undefined;
	tool_calls: ToolCall[];
	/** Results of tools, each as a separate message. */
	tool_results: Message[];
	image_count: number;
	image_urls: string[];
	/** Audio, video and files. */
	media: Media[];
}

interface Collected extends MessageParts {
	texts: string[];
	reasonings: string[];
	seen: MessagePart[];
}

/** Splits a message's content: text, or a list of parts of any provider's form. */
export function readParts(content: Plain | undefined, depth = 0): MessageParts {
	const parts: Collected = {
		text: undefined,
		inOrder: undefined,
		reasoning: undefined,
		tool_calls: [],
		tool_results: [],
		image_count: 0,
		image_urls: [],
		media: [],
		texts: [],
		reasonings: [],
		seen: [],
	};
	const list = depth > MAX_DEPTH ? [] : listOfParts(content);
	if (list === undefined) parts.text = textOfContent(content);
	else {
		for (const part of list) readPart(part, parts, depth);
		if (parts.texts.length > 0) parts.text = parts.texts.join("\n");
		if (parts.seen.length > 1) parts.inOrder = parts.seen;
	}
	if (parts.reasonings.length > 0) parts.reasoning = parts.reasonings.join("\n");
	return parts;
}

function textOfContent(content: Plain | undefined): string | undefined {
	if (!isObject(content)) return asText(content);
	const text = field(content, "text") ?? field(content, "content");
	return typeof text === "string" ? asText(text) : asText(content);
}

/** A list of parts, which may also be sent as JSON text, or as a single part. */
function listOfParts(content: Plain | undefined): readonly Plain[] | undefined {
	if (isList(content)) return content;
	if (typeof content === "string" && content.trimStart().startsWith("[{")) {
		const list = decoded(content);
		return isList(list) && list.length > 0 && list.every((item) => isObject(item) && isPart(item)) ? list : undefined;
	}
	if (!isObject(content)) return undefined;
	const parts = field(content, "parts") ?? field(content, "content");
	if (isList(parts)) return parts;
	return isPart(content) ? [content] : undefined;
}

const PART_KEYS = [
	"text",
	"toolUse",
	"toolResult",
	"functionCall",
	"function_call",
	"functionResponse",
	"function_response",
];
const PART_TYPES =
	/^(text|(in|out)put_text|image(_url)?|input_image|tool[-_](use|call|result|response|call_response)|thinking|reasoning|blob|uri|file(_data)?|refusal|json)$/;

function isPart(item: PlainObject): boolean {
	const type = field(item, "type");
	if (typeof type === "string") return PART_TYPES.test(type);
	return PART_KEYS.some((key) => field(item, key) !== undefined);
}

function readPart(part: Plain, parts: Collected, depth: number): void {
	if (!isObject(part)) {
		addText(asText(part), parts);
		return;
	}
	const type = kindOfPart(part);
	if (type === "reasoning") {
		const text = reasoningText(part, depth);
		if (text !== undefined) parts.reasonings.push(text);
	} else if (type === "tool call") {
		const call = readToolCall(part);
		if (call !== undefined) parts.tool_calls.push(call);
	} else if (type === "tool result") parts.tool_results.push(readToolResult(part, depth));
	else if (type === "image") {
		parts.image_count++;
		const url = imageUrl(part);
		if (url !== undefined) parts.image_urls.push(url);
		parts.seen.push(url === undefined ? { type: "image" } : { type: "image", url });
	} else if (type === "text") {
		addText(asText(textOfPart(part)), parts);
	} else {
		const media = readMedia(part);
		if (media !== undefined) parts.media.push(media);
	}
}

function addText(text: string | undefined, parts: Collected): void {
	if (text === undefined) return;
	parts.texts.push(text);
	parts.seen.push({ type: "text", text });
}

type PartKind = "text" | "reasoning" | "tool call" | "tool result" | "image" | "other";

function kindOfPart(part: PlainObject): PartKind {
	const type = field(part, "type") ?? field(part, "part_kind") ?? field(part, "message_content.type");
	switch (typeof type === "string" ? type.replaceAll("-", "_") : undefined) {
		case "thinking":
		case "reasoning":
		case "redacted_thinking":
			return "reasoning";
		case "tool_call":
		case "tool_use":
		case "function_call":
		case "server_tool_call":
		case "server_tool_use":
		case "builtin_tool_call":
			return "tool call";
		case "tool_call_response":
		case "tool_result":
		case "tool_response":
		case "tool_return":
		case "function_call_output":
		case "server_tool_call_response":
		case "builtin_tool_return":
		case "retry_prompt":
			return "tool result";
		case "image":
		case "image_url":
		case "input_image":
			return "image";
		case "blob":
		case "uri":
		case "file":
		case "file_data":
		case "media":
			return isImage(part) ? "image" : "other";
		case "input_audio":
		case "audio":
		case "video":
		case "document":
			return field(part, "text") === undefined ? "other" : "text";
		case undefined:
			return kindByMembers(part);
		default:
			return textOfPart(part) === undefined ? kindByMembers(part) : "text";
	}
}

/** Gemini and Bedrock distinguish parts by the member that is present. */
function kindByMembers(part: PlainObject): PartKind {
	const has = (...keys: string[]): boolean => keys.some((key) => isObject(field(part, key)));
	if (has("functionCall", "function_call", "toolUse")) return "tool call";
	if (has("functionResponse", "function_response", "toolResult")) return "tool result";
	if (has("reasoningContent") || field(part, "thought") === true) return "reasoning";
	if (has("image", "image_url", "inlineData", "inline_data", "fileData", "file_data"))
		return isImage(part) ? "image" : "other";
	return textOfPart(part) === undefined ? "other" : "text";
}

function textOfPart(part: PlainObject): Plain | undefined {
	for (const key of ["text", "content", "message_content.text", "refusal", "json", "value"]) {
		const value = field(part, key);
		if (value !== undefined && value !== null) return isObject(value) ? (field(value, "value") ?? value) : value;
	}
	return undefined;
}

function reasoningText(part: PlainObject, depth: number): string | undefined {
	const bedrock = field(part, "reasoningContent");
	const nested = isObject(bedrock) ? field(bedrock, "reasoningText") : undefined;
	const source = isObject(nested) ? nested : part;
	for (const key of ["content", "text", "thinking", "reasoning", "summary"]) {
		const value = field(source, key);
		if (isList(value)) return readParts(value, depth + 1).text;
		if (typeof value === "string" && value !== "") return value;
	}
	return undefined;
}

function readToolResult(part: PlainObject, depth: number): Message {
	const source = ["toolResult", "functionResponse", "function_response"]
		.map((key) => field(part, key))
		.find((value) => isObject(value));
	const result = isObject(source) ? source : part;
	const id = ["id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id"]
		.map((key) => field(result, key))
		.find((value) => typeof value === "string" && value !== "");
	const value = ["response", "result", "output", "content"]
		.map((key) => field(result, key))
		.find((value) => value !== undefined && value !== null);
	return compact<Message>({
		role: "tool",
		text: toolResultText(value, depth + 1),
		tool_call_id: typeof id === "string" ? id : undefined,
	});
}

/** Text unchanged; the AI SDK's `{type, value}` and lists of text parts are unwrapped; anything else as JSON. */
function toolResultText(value: Plain | undefined, depth: number): string | undefined {
	if (depth > MAX_DEPTH) return undefined;
	if (isList(value)) {
		const { text, image_count, media } = readParts(value, depth);
		return text ?? (image_count + media.length > 0 ? undefined : renderJson(value));
	}
	if (isObject(value)) {
		const type = field(value, "type");
		const inner = field(value, "value");
		if (typeof type === "string" && inner !== undefined) return toolResultText(inner, depth + 1);
		if (type === "text") return asText(field(value, "text"));
	}
	return asText(value);
}
