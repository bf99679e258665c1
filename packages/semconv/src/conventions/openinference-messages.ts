import { indexedEntries, textValue, toObject } from "../attribute-values.ts";
import { compact, nonEmpty } from "../compact.ts";
import { readParts } from "../message-parts.ts";
import { hasMessageContent, mergeToolCalls, readMessages, type Side } from "../messages.ts";
import type { Attributes, Message, Plain } from "../model.ts";
import { readToolCall } from "../tool-calls.ts";

/** Messages under `llm.input_messages` or `llm.output_messages`, with a key for each member or all in one attribute. */
export function readSide(attributes: Attributes, prefix: string, side: Side): Message[] | undefined {
	const entries = indexedEntries(attributes, prefix);
	if (entries.length === 0) return readMessages(attributes.get(prefix), side);
	const messages = entries.map((entry) => readIndexedMessage(entry, side === "input" ? "user" : "assistant"));
	return nonEmpty(messages.filter(hasMessageContent));
}

/** Text completions: `llm.prompts.N.prompt.text`, `llm.choices.N.completion.text`. */
export function readPrompts(
	attributes: Attributes,
	prefix: string,
	member: string,
	role: string,
): Message[] | undefined {
	const entries = indexedEntries(attributes, prefix);
	const texts = entries.map((entry) => textOf(entry.get(`${member}.text`) ?? entry.get("")));
	return nonEmpty(texts.filter((text) => text !== undefined).map((text) => ({ role, text })));
}

function readIndexedMessage(entry: Attributes, defaultRole: string): Message {
	const contents = indexedEntries(entry, "message.contents");
	const parts = readParts(contents.length > 0 ? contents.map(toPart) : entry.get("message.contents"));
	const content = readParts(entry.get("message.content"));
	const calls = [
		...indexedEntries(entry, "message.tool_calls").flatMap(readIndexedToolCall),
		...parts.tool_calls,
		...content.tool_calls,
	];
	const functionName = textValue(entry.get("message.function_call_name"));
	if (functionName !== undefined) {
		const call = readToolCall({
			name: functionName,
			arguments: entry.get("message.function_call_arguments_json") ?? null,
		});
		if (call !== undefined) calls.push(call);
	}
	const images = parts.image_count + content.image_count;
	return compact<Message>({
		role: speakerOf(textValue(entry.get("message.role"))) ?? defaultRole,
		text: content.text ?? parts.text ?? content.tool_results[0]?.text ?? parts.tool_results[0]?.text,
		parts: content.text === undefined ? parts.inOrder : content.inOrder,
		tool_calls: nonEmpty(mergeToolCalls(calls)),
		tool_call_id: textValue(entry.get("message.tool_call_id")),
		images: images > 0 ? images : undefined,
		image_urls: nonEmpty([...parts.image_urls, ...content.image_urls]),
		media: nonEmpty([...parts.media, ...content.media]),
		reasoning: parts.reasoning ?? content.reasoning,
		name: textValue(entry.get("message.name")),
	});
}

/** The role as it was sent; smolagents has its own names for tool calls and tool results. */
function speakerOf(role: string | undefined): string | undefined {
	if (role === "tool-call") return "assistant";
	return role === "tool-response" ? "tool" : role;
}

function readIndexedToolCall(entry: Attributes): NonNullable<Message["tool_calls"]> {
	const call = readToolCall(
		toObject([
			["id", entry.get("tool_call.id") ?? null],
			["name", entry.get("tool_call.function.name") ?? null],
			["arguments", entry.get("tool_call.function.arguments") ?? null],
		]),
	);
	return call === undefined ? [] : [call];
}

/** One entry of `message.contents`, as a part in the form of JSON messages. */
function toPart(entry: Attributes): Plain {
	const name = entry.get("tool_call.function.name");
	if (name !== undefined) {
		return toObject([
			["type", "tool_call"],
			["id", entry.get("tool_call.id") ?? null],
			["name", name],
			["arguments", entry.get("tool_call.function.arguments") ?? null],
		]);
	}
	const part = toObject([["type", entry.get("message_content.type") ?? null]]);
	const url = entry.get("message_content.image.image.url") ?? entry.get("message_content.image.url");
	if (url !== undefined) return { type: "image", url };
	const audio = toObject(
		["url", "mime_type", "transcript"].flatMap((key) => {
			const value = entry.get(`message_content.audio.audio.${key}`) ?? entry.get(`message_content.audio.${key}`);
			return value === undefined ? [] : [[key, value] as const];
		}),
	);
	if (Object.keys(audio).length > 0) return { type: "audio", audio };
	const text =
		entry.get("message_content.text") ?? entry.get("message_content.reasoning") ?? entry.get("message_content.content");
	if (text !== undefined) part["text"] = text;
	return part;
}

function textOf(value: Plain | undefined): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
