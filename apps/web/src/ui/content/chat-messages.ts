import { isContainer, type Json, parseJsonContainer } from "./json-value.ts";
import type { ChatMessage, ChatToolCall } from "./message.ts";

/** A list of messages in OpenAI's or Anthropic's form as a conversation; undefined when it is something else. */
export function toChatMessages(value: Json): readonly ChatMessage[] | undefined {
	if (!Array.isArray(value) || value.length === 0) return undefined;
	const messages = value.map(toMessage);
	return messages.every((message) => message !== undefined) ? messages : undefined;
}

function toMessage(value: Json): ChatMessage | undefined {
	const message = toObject(value);
	const { role, content, tool_calls: calls } = message ?? {};
	if (typeof role !== "string" || (content === undefined && calls === undefined)) return undefined;
	const text = toText(content ?? null);
	if (text === undefined) return undefined;
	const id = message?.["tool_call_id"];
	return {
		role,
		text,
		...(Array.isArray(calls) ? { tool_calls: calls.map(toCall) } : {}),
		...(typeof id === "string" ? { tool_call_id: id } : {}),
	};
}

/** Text of a content that is a text or parts of text; undefined when there is more in it. */
function toText(content: Json): string | undefined {
	if (content === null) return "";
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return undefined;
	const texts = content.map((part) => {
		const { type, text } = toObject(part) ?? {};
		return type === "text" && typeof text === "string" ? text : undefined;
	});
	return texts.every((text) => text !== undefined) ? texts.join("\n") : undefined;
}

function toCall(value: Json): ChatToolCall {
	const call = toObject(value) ?? {};
	const called = toObject(call["function"] ?? null) ?? call;
	const { name, arguments: given } = called;
	return {
		...(typeof call["id"] === "string" ? { id: call["id"] } : {}),
		...(typeof name === "string" ? { name } : {}),
		...(given === undefined
			? {}
			: { arguments: typeof given === "string" ? (parseJsonContainer(given) ?? given) : given }),
	};
}

function toObject(value: Json): { readonly [key: string]: Json } | undefined {
	return isContainer(value) && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : undefined;
}
