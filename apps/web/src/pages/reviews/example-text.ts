import type { Json } from "../../ui/content/json-value.ts";

export type JsonObject = { readonly [key: string]: Json };

/**
 * The one text that a part of an example is about, for who edits it as text: that of its last message, or of its only member.
 * Undefined where there is no such text.
 * @example
 * textOf({ messages: [{ role: "assistant", content: "Hello" }] }); // "Hello"
 */
export function textOf(part: JsonObject): string | undefined {
	const message = lastMessage(part);
	if (message !== undefined) return typeof message["content"] === "string" ? message["content"] : undefined;
	const [member, ...others] = Object.values(part);
	return typeof member === "string" && others.length === 0 ? member : undefined;
}

/** The part with another text in the place of {@link textOf}. */
export function withText(part: JsonObject, text: string): JsonObject {
	const message = lastMessage(part);
	const { messages } = part;
	if (message !== undefined && isList(messages))
		return { ...part, messages: [...messages.slice(0, -1), { ...message, content: text }] };
	const [key = "output"] = Object.keys(part);
	return { [key]: text };
}

function lastMessage({ messages }: JsonObject): JsonObject | undefined {
	const last = isList(messages) ? messages.at(-1) : undefined;
	return isObject(last) ? last : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
	return Array.isArray(value);
}

function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
