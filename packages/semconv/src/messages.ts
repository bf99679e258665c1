import { compact, nonEmpty } from "./compact.ts";
import { decoded, field, isList, isObject, MAX_DEPTH, type PlainObject, parseStructure, renderJson } from "./json.ts";
import { readMedia } from "./message-media.ts";
import { readParts } from "./message-parts.ts";
import { LANGCHAIN_TYPES, langChainClassRole, roleOf } from "./message-roles.ts";
import type { Media, Message, Plain, ToolCall } from "./model.ts";
import { readToolCalls } from "./tool-calls.ts";

export type Side = "input" | "output";

/**
 * The messages in a value of any known form: a list of messages, a request or response of OpenAI (chat and responses),
 * Anthropic, Gemini, Bedrock or Ollama, LangChain's serialized messages and results, GenAI's parts. JSON text is
 * parsed. Undefined when the value has no messages.
 */
export function readMessages(value: Plain | undefined, side: Side, depth = 0): Message[] | undefined {
	if (depth > MAX_DEPTH) return undefined;
	const data = decoded(value);
	if (isList(data)) return readList(data, side, depth);
	if (!isObject(data)) return undefined;
	return readRequest(data, side, depth) ?? readResponse(data, side, depth) ?? readSingle(data, side);
}

function readList(list: readonly Plain[], side: Side, depth: number): Message[] | undefined {
	if (depth > MAX_DEPTH) return undefined;
	const messages: Message[] = [];
	for (const item of list) {
		const data = typeof item === "string" ? parseStructure(item) : item;
		const inner = isList(data) ? (readList(data, side, depth + 1) ?? []) : readListItem(data, side);
		if (inner === undefined) return undefined;
		for (const message of inner) messages.push(message);
	}
	return nonEmpty(messages);
}

function readListItem(data: Plain | undefined, side: Side): Message[] | undefined {
	return isObject(data) && looksLikeMessage(data) ? readMessage(data, defaultRole(side)) : undefined;
}

function readSingle(data: PlainObject, side: Side): Message[] | undefined {
	return looksLikeMessage(data) ? nonEmpty(readMessage(data, defaultRole(side))) : undefined;
}

/** `{messages: …}` and similar objects, with instructions next to the messages. */
function readRequest(data: PlainObject, side: Side, depth: number): Message[] | undefined {
	for (const key of ["messages", "contents", "chat_history", "history"]) {
		const list = decoded(field(data, key));
		if (!isList(list)) continue;
		const messages = readList(list, side, depth + 1);
		if (messages !== undefined) return [...readInstructions(data), ...messages];
	}
	const input = decoded(field(data, "input"));
	if (side === "input" && isList(input)) {
		const messages = readList(input, side, depth + 1);
		if (messages !== undefined) return [...readInstructions(data), ...messages];
	}
	const prompt = field(data, "prompt");
	if (typeof prompt === "string" && side === "input") {
		return [...readInstructions(data), { role: "user", text: prompt }];
	}
	if (isList(prompt)) return readList(prompt, side, depth + 1);
	return undefined;
}

function readInstructions(data: PlainObject): Message[] {
	for (const key of ["system", "instructions", "systemInstruction", "system_instruction"]) {
		const value = field(data, key);
		if (value === undefined || value === null) continue;
		const { text } = readParts(isObject(value) ? (field(value, "parts") ?? value) : value);
		if (text !== undefined) return [{ role: "system", text }];
	}
	const config = field(data, "config");
	return isObject(config) && "system_instruction" in config
		? readInstructions({ system: field(config, "system_instruction") ?? null })
		: [];
}

function readResponse(data: PlainObject, side: Side, depth: number): Message[] | undefined {
	const choices = field(data, "choices");
	if (isList(choices)) {
		const messages = choices.flatMap((choice) => (isObject(choice) ? readChoice(choice) : []));
		return nonEmpty(messages);
	}
	const candidates = field(data, "candidates");
	if (isList(candidates)) {
		const messages = candidates.flatMap((candidate) => {
			const content = isObject(candidate) ? field(candidate, "content") : undefined;
			return isObject(content) ? readMessage(content, "assistant") : [];
		});
		return nonEmpty(messages);
	}
	// Google ADK keeps only the content of one candidate.
	const content = field(data, "content");
	if (isObject(content) && isList(field(content, "parts"))) return nonEmpty(readMessage(content, defaultRole(side)));
	for (const key of ["generations", "output", "outputs", "replies", "response", "message", "update"]) {
		const inner = decoded(field(data, key));
		if (isList(inner) || (isObject(inner) && !looksLikeMessage(data))) {
			const messages = readMessages(inner, side, depth + 1);
			if (messages !== undefined) return messages;
		}
	}
	return undefined;
}

function readChoice(choice: PlainObject): Message[] {
	const message = field(choice, "message") ?? field(choice, "delta");
	if (isObject(message)) return readMessage(message, "assistant");
	const text = field(choice, "text");
	return typeof text === "string" && text !== "" ? [{ role: "assistant", text }] : [];
}

const ITEM_TYPES = new Set([
	"function_call",
	"function_call_output",
	"function_call_result",
	"message",
	"reasoning",
	"tool_call",
	"tool_use",
]);

/** Whether the object has a role, or a member that only messages have. */
function looksLikeMessage(data: PlainObject): boolean {
	const role = field(data, "role");
	if (typeof role === "string" || isObject(role)) return true;
	const type = field(data, "type");
	if (typeof type === "string") {
		if (type === "constructor" || type === "ChatGeneration")
			return isLangChainObject(data) || isObject(field(data, "message"));
		if (LANGCHAIN_TYPES.has(type)) return "content" in data || isObject(field(data, "data"));
		if (ITEM_TYPES.has(type)) return type !== "tool_call" || field(data, "arguments") !== undefined;
	}
	return (
		isList(field(data, "parts")) ||
		isObject(field(data, "message")) ||
		field(data, "message.role") !== undefined ||
		field(data, "message.content") !== undefined ||
		(isList(field(data, "tool_calls")) && "content" in data)
	);
}

function isLangChainObject(data: PlainObject): boolean {
	return isObject(field(data, "kwargs"));
}

/** The messages of one object: several tool results become a message each. */
export function readMessage(data: PlainObject, role: string, depth = 0): Message[] {
	if (depth > 8) return [];
	for (const key of ["data", "kwargs", "message"]) {
		const inner = field(data, key);
		if (!isObject(inner)) continue;
		const named = key === "kwargs" ? langChainClassRole(data) : undefined;
		return readMessage(inner, named ?? roleOf(data) ?? role, depth + 1);
	}
	if (field(data, "message.role") !== undefined || field(data, "message.content") !== undefined) {
		return readMessage(withoutPrefix(data), role, depth + 1);
	}
	const speaker = roleOf(data) ?? itemRole(data) ?? role;
	const item = readItem(data, speaker);
	if (item !== undefined) return item;
	const parts = readParts(
		field(data, "content") ??
			field(data, "contents") ??
			field(data, "parts") ??
			field(data, "text") ??
			field(data, "blocks"),
	);
	const toolCalls = mergeToolCalls([
		...readToolCalls(field(data, "tool_calls") ?? field(data, "toolCalls")),
		...readToolCalls(additionalToolCalls(data)),
		...readToolCalls(wrapped(field(data, "function_call"))),
		...parts.tool_calls,
	]);
	const results: Message[] = parts.tool_results;
	const callId = firstString(data, [
		"tool_call_id",
		"toolCallId",
		"tool_use_id",
		...(speaker === "tool" ? ["id"] : []),
	]);
	const message = compact<Message>({
		role: speaker,
		text: parts.text ?? firstString(data, ["refusal"]),
		parts: parts.inOrder,
		tool_calls: nonEmpty(toolCalls),
		tool_call_id: callId,
		images: parts.image_count > 0 ? parts.image_count : undefined,
		image_urls: nonEmpty(parts.image_urls),
		media: nonEmpty([...parts.media, ...mediaBeside(data)]),
		reasoning: parts.reasoning ?? firstString(data, ["reasoning_content", "reasoning", "thinking"]),
		name: firstString(data, ["name"]),
	});
	return hasMessageContent(message) ? [...results, message] : results;
}

/** The audio of an answer, which OpenAI's chat completions have beside the content. */
function mediaBeside(data: PlainObject): Media[] {
	const audio = field(data, "audio");
	const media = isObject(audio) ? readMedia({ type: "audio", audio }) : undefined;
	return media === undefined ? [] : [media];
}

export function hasMessageContent(message: Message): boolean {
	return (
		message.text !== undefined ||
		message.tool_calls !== undefined ||
		message.images !== undefined ||
		message.media !== undefined ||
		message.reasoning !== undefined
	);
}

/** Items of OpenAI's responses API: a call and its result are items next to the messages. */
function readItem(data: PlainObject, role: string): Message[] | undefined {
	const type = field(data, "type");
	if (type === "function_call" || type === "tool_call" || type === "tool_use") {
		return [{ role: "assistant", tool_calls: readToolCalls([data]) }];
	}
	if (type === "function_call_output" || type === "function_call_result") {
		const { text } = readParts(field(data, "output"));
		return [compact<Message>({ role: "tool", text, tool_call_id: firstString(data, ["call_id", "callId"]) })];
	}
	if (type === "reasoning") {
		const { text } = readParts(field(data, "summary") ?? field(data, "content"));
		return text === undefined ? [] : [{ role, reasoning: text }];
	}
	return undefined;
}

function itemRole(data: PlainObject): string | undefined {
	return field(data, "type") === "message" ? "assistant" : undefined;
}

function additionalToolCalls(data: PlainObject): Plain | undefined {
	const additional = field(data, "additional_kwargs");
	return isObject(additional) ? field(additional, "tool_calls") : undefined;
}

function wrapped(value: Plain | undefined): Plain | undefined {
	return isObject(value) ? [value] : undefined;
}

/** OpenInference's dotted members inside an object: `{"message.role": …, "message.content": …}`. */
function withoutPrefix(data: PlainObject): PlainObject {
	const message: { [key: string]: Plain } = Object.create(null);
	for (const [key, value] of Object.entries(data)) {
		message[key.startsWith("message.") ? key.slice("message.".length) : key] = value;
	}
	return message;
}

function defaultRole(side: Side): string {
	return side === "input" ? "user" : "assistant";
}

function firstString(data: PlainObject, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		const value = field(data, key);
		if (typeof value === "string" && value !== "") return value;
	}
	return undefined;
}

/** Removes duplicate calls, which were sent both as a part of the content and in a list next to it. */
export function mergeToolCalls(calls: readonly ToolCall[]): ToolCall[] {
	if (calls.length < 2) return [...calls];
	const ids = new Set<string>();
	const shapes = new Set<string>();
	return calls.filter((call) => {
		const shape = `${call.name} ${renderJson(call.arguments ?? null)}`;
		const isTwin = call.id === undefined ? shapes.has(shape) : ids.has(call.id);
		if (call.id !== undefined) ids.add(call.id);
		shapes.add(shape);
		return !isTwin;
	});
}
