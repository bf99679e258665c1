import type { JSONValue, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { MessagePart, ModelMessage } from "#models/model-request.ts";
import { isJsonObject, parseJson } from "../json-object.ts";
import { reasoningProviderOf, signatureOptions } from "../signed-reasoning.ts";
import { WIRE_NAMES, type Wire } from "../wire.ts";

/** Messages as the libraries take them. */
export interface Prompt {
	readonly messages: LanguageModelV4Prompt;
	/** The roles of its system messages in order: the libraries know one for both. */
	readonly systemRoles: readonly ("system" | "developer")[];
	readonly warnings: readonly string[];
}

type SystemMessage = Extract<LanguageModelV4Message, { role: "system" }>;
type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
type Part<Type extends MessagePart["type"]> = Extract<MessagePart, { type: Type }>;

export function toPrompt(messages: readonly ModelMessage[], wire: Wire): Prompt {
	const warnings = new Set<string>();
	const calls = new ToolCalls();
	const converted = messages.flatMap((message) => toMessages(message, { wire, calls, warnings }));
	const systemRoles = messages.flatMap(({ role }) => (role === "system" || role === "developer" ? [role] : []));
	const ordered = wire === "chat" || wire === "responses" ? converted : systemFirst(converted, { wire, warnings });
	return { messages: ordered, systemRoles, warnings: [...warnings] };
}

/** Names of the tools that were called, by the ids of the calls, and which of these have no result yet. */
class ToolCalls {
	readonly #names = new Map<string, string>();
	readonly #open: string[] = [];

	add(id: string, name: string): void {
		this.#names.set(id, name);
		this.#open.push(id);
	}

	/** The name of the tool that a result is of; the id where nothing called it. */
	answer(id: string): string {
		const at = this.#open.indexOf(id);
		if (at >= 0) this.#open.splice(at, 1);
		return this.#names.get(id) ?? id;
	}

	/** The call that a result without an id answers. */
	nextOpen(): string | undefined {
		return this.#open[0];
	}
}

interface Conversion {
	readonly wire: Wire;
	readonly calls: ToolCalls;
	readonly warnings: Set<string>;
}

function toMessages(message: ModelMessage, conversion: Conversion): readonly Message[] {
	const parts = typeof message.content === "string" ? [textPart(message.content)] : message.content;
	if (!/^(assistant|model|ai)$/.test(message.role) && parts.some(({ type }) => type === "reasoning")) {
		conversion.warnings.add("Reasoning is sent in messages of the assistant alone: only the model thinks.");
	}
	switch (message.role) {
		case "system":
		case "developer":
			return [toSystem(parts, conversion)];
		case "user":
			return [...toResults(parts, conversion), ...toUser(parts, conversion)];
		case "assistant":
		case "model":
		case "ai":
			return [...toAssistant(parts, conversion), ...toResults(parts, conversion)];
		case "tool":
			return toTool(parts, conversion);
	}
}

function toSystem(parts: readonly MessagePart[], { warnings }: Conversion): SystemMessage {
	if (parts.some(({ type }) => type !== "text")) {
		warnings.add("Only the text of a system message is sent: it cannot have anything else.");
	}
	return {
		role: "system",
		content: ofType(parts, "text")
			.map(({ text }) => text)
			.join("\n"),
	};
}

function toUser(parts: readonly MessagePart[], { warnings }: Conversion): readonly UserMessage[] {
	if (parts.some(({ type }) => type === "tool_call")) {
		warnings.add("A tool call in a message of the user is not sent: only the model calls tools.");
	}
	const content = parts.flatMap<UserMessage["content"][number]>((part) => {
		if (part.type === "text") return [textPart(part.text)];
		return part.type === "image" ? [filePart(part)] : [];
	});
	return content.length === 0 ? [] : [{ role: "user", content }];
}

function toAssistant(parts: readonly MessagePart[], conversion: Conversion): readonly AssistantMessage[] {
	const { wire, calls, warnings } = conversion;
	const all = ofType(parts, "reasoning");
	const thoughts = all.filter(({ provider }) => provider === reasoningProviderOf(wire));
	if (thoughts.length < all.length) {
		warnings.add("Reasoning of another provider is not sent: only that one can read it.");
	}
	const content = parts.flatMap<AssistantMessage["content"][number]>((part) => {
		if (part.type === "text" && part.text !== "") return [textPart(part.text)];
		if (part.type === "image" && wire === "gemini") return [filePart(part)];
		if (part.type === "reasoning") return thoughts.includes(part) ? toThought(part) : [];
		if (part.type !== "tool_call") return [];
		const { name, arguments: text } = part.tool_call;
		calls.add(part.tool_call_id, name);
		const input = toInput(text, name, conversion);
		const signed = thoughts.find(({ tool_call_id: id }) => id === part.tool_call_id);
		const options = signed === undefined ? {} : { providerOptions: signatureOptions(signed) };
		return [{ type: "tool-call", toolCallId: part.tool_call_id, toolName: name, input, ...options }];
	});
	if (wire !== "gemini" && parts.some(({ type }) => type === "image")) {
		warnings.add(`An image in a message of the assistant is not sent: ${WIRE_NAMES[wire]} does not have it.`);
	}
	if (content.length > 0 || parts.some(({ type }) => type === "tool_result")) {
		return content.length === 0 ? [] : [{ role: "assistant", content }];
	}
	return [{ role: "assistant", content: [textPart("")] }];
}

/** What is signed in a call of a tool goes with that. */
function toThought(part: Part<"reasoning">): readonly AssistantMessage["content"][number][] {
	if (part.tool_call_id !== undefined) return [];
	const providerOptions = signatureOptions(part);
	// Gemini signs texts, too; an empty one may have the signature of the one before it.
	const type = part.provider === "google" && part.text === "" ? "text" : "reasoning";
	return [{ type, text: part.text, providerOptions }];
}

/** Arguments of a call: as they were written where the wire has them as text, else the object that they spell. */
function toInput(text: string, name: string, { wire, warnings }: Conversion): unknown {
	const value = parseJson(text)?.value;
	if (isJsonObject(value)) return wire === "chat" || wire === "responses" ? text : value;
	if (text.trim() !== "") {
		warnings.add(`The arguments of a call of \`${name}\` are sent as {}: they are not an object of JSON.`);
	}
	return wire === "chat" || wire === "responses" ? "{}" : {};
}

function toResults(parts: readonly MessagePart[], { calls }: Conversion): readonly ToolMessage[] {
	const content = ofType(parts, "tool_result").map((part) => toResult(part.tool_call_id, part.tool_result, calls));
	return content.length === 0 ? [] : [{ role: "tool", content }];
}

type Result = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

function toResult(id: string, result: Part<"tool_result">["tool_result"], calls: ToolCalls): Result {
	const output: Result["output"] =
		typeof result === "string" ? { type: "text", value: result } : { type: "json", value: result as JSONValue };
	return { type: "tool-result", toolCallId: id, toolName: calls.answer(id), output };
}

/** Text of a tool's message answers the oldest call without a result; images go to the model as the user's. */
function toTool(parts: readonly MessagePart[], conversion: Conversion): readonly Message[] {
	const { calls, warnings } = conversion;
	const results = toResults(parts, conversion);
	const texts = ofType(parts, "text").map(({ text }) => text);
	const images = ofType(parts, "image");
	if (images.length > 0) warnings.add("An image in the result of a tool is sent as a message of the user after it.");
	const rest: MessagePart[] = [...images];
	const open = results.length === 0 && texts.length > 0 ? calls.nextOpen() : undefined;
	if (open !== undefined) {
		return [{ role: "tool", content: [toResult(open, texts.join("\n"), calls)] }, ...toUser(rest, conversion)];
	}
	if (texts.length > 0) {
		warnings.add("Text in a message of a tool is sent as a message of the user: no call has it as its result.");
		rest.unshift(...texts.map(textPart));
	}
	return [...results, ...toUser(rest, conversion)];
}

/** These wires have one place for system messages, before all others, of which there has to be one. */
function systemFirst(
	messages: readonly Message[],
	{ wire, warnings }: Omit<Conversion, "calls">,
): LanguageModelV4Prompt {
	const system = messages.filter(({ role }) => role === "system");
	const others = messages.filter(({ role }) => role !== "system");
	if (others.length === 0 && system.length > 0) {
		warnings.add(`The system message is sent as the user's: ${WIRE_NAMES[wire]} answers no conversation without one.`);
		const content = system.map((message) => textPart(typeof message.content === "string" ? message.content : ""));
		return [{ role: "user", content }];
	}
	if (system.some((message, index) => message !== messages[index])) {
		warnings.add(
			`A system message amid the conversation is sent before it: ${WIRE_NAMES[wire]} has no other place for it.`,
		);
	}
	return [...system, ...others];
}

function ofType<Type extends MessagePart["type"]>(parts: readonly MessagePart[], type: Type): readonly Part<Type>[] {
	return parts.filter((part): part is Part<Type> => part.type === type);
}

function textPart(text: string): { readonly type: "text"; readonly text: string } {
	return { type: "text", text };
}

function filePart({ media_type: mediaType, data }: Part<"image">) {
	return { type: "file" as const, mediaType, data: { type: "data" as const, data } };
}
