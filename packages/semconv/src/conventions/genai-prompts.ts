import { indexedEntries, textValue, toObject } from "../attribute-values.ts";
import { compact, nonEmpty } from "../compact.ts";
import { decoded, isList } from "../json.ts";
import { readParts } from "../message-parts.ts";
import { normalizeRole } from "../message-roles.ts";
import { hasMessageContent, readMessages, type Side } from "../messages.ts";
import type { Attributes, Message, Plain } from "../model.ts";
import { readToolCall } from "../tool-calls.ts";

/** Whether the value of the key may be the text itself; under other keys, text without messages is something else. */
export function isPlainTextKey(key: string): boolean {
	return key.startsWith("gen_ai.");
}

/** A prompt or a completion that was sent as text, or as a list of texts. */
export function readPlainText(value: Plain, side: Side): Message[] | undefined {
	const data = decoded(value);
	const role = side === "input" ? "user" : "assistant";
	if (typeof data === "string") return data === "" ? undefined : (readTranscript(data) ?? [{ role, text: data }]);
	if (isList(data) && data.length > 0 && data.every((item) => typeof item === "string")) {
		return data.flatMap((item) => readMessages(item, side) ?? [{ role, text: item }]);
	}
	return undefined;
}

const SPEAKER = /^(system|developer|user|assistant|tool): /;

/** OpenLIT writes messages as lines that begin with their role: `user: hi`. */
function readTranscript(text: string): Message[] | undefined {
	if (!SPEAKER.test(text)) return undefined;
	const messages: { role: string; text: string }[] = [];
	for (const line of text.split("\n")) {
		const role = SPEAKER.exec(line)?.[1];
		const last = messages.at(-1);
		if (role !== undefined) messages.push({ role, text: line.slice(role.length + 2) });
		else if (last !== undefined) last.text += `\n${line}`;
	}
	return messages;
}

/**
 * `gen_ai.prompt.N.role`, `.content`, `.tool_calls.M.name` …: OpenLLMetry's keys from before the convention had
 * messages.
 */
export function readIndexed(attributes: Attributes, prefixes: readonly string[], role: string): Message[] | undefined {
	for (const prefix of prefixes) {
		const messages = withOneMessageForCalls(indexedEntries(attributes, prefix)).flatMap((entry) =>
			readIndexedMessage(entry, role),
		);
		if (messages.length > 0) return messages;
	}
	return undefined;
}

const CALL_KEYS = ["function_call.name", "function_call.arguments"] as const;

/** LiteLLM gives each tool call of an answer an index of its own, with nothing else: they belong to one message. */
function withOneMessageForCalls(entries: readonly Attributes[]): readonly Attributes[] {
	const isCall = (entry: Attributes): boolean =>
		[...entry.keys()].every((key) => CALL_KEYS.some((call) => call === key));
	if (entries.length < 2 || !entries.every(isCall)) return entries;
	const calls = entries.flatMap((entry, index) =>
		[...entry].map(([key, value]) => [`tool_calls.${index}.${key.slice("function_call.".length)}`, value] as const),
	);
	return [new Map(calls)];
}

function readIndexedMessage(entry: Attributes, defaultRole: string): Message[] {
	const calls = indexedEntries(entry, "tool_calls").flatMap((call) => readToolCall(toObject(call)) ?? []);
	const legacyName = entry.get("function_call.name");
	if (typeof legacyName === "string") {
		const call = readToolCall({ name: legacyName, arguments: entry.get("function_call.arguments") ?? null });
		if (call !== undefined) calls.push(call);
	}
	const parts = readParts(entry.get("content") ?? entry.get("") ?? entry.get("text"));
	const images = parts.image_count;
	const message = compact<Message>({
		role: normalizeRole(textValue(entry.get("role")) ?? defaultRole),
		text: parts.text,
		parts: parts.inOrder,
		tool_calls: nonEmpty([...calls, ...parts.tool_calls]),
		tool_call_id: textValue(entry.get("tool_call_id")),
		images: images > 0 ? images : undefined,
		image_urls: nonEmpty(parts.image_urls),
		media: nonEmpty(parts.media),
		reasoning: parts.reasoning ?? textValue(entry.get("reasoning")),
		name: textValue(entry.get("name")),
	});
	return hasMessageContent(message) ? [...parts.tool_results, message] : parts.tool_results;
}
