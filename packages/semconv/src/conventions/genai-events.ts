import { textValue, toObject } from "../attribute-values.ts";
import { nonEmpty } from "../compact.ts";
import { decoded, field, isObject, type PlainObject } from "../json.ts";
import { readMessage, readMessages, type Side } from "../messages.ts";
import type { Attributes, Message, Plain, SpanInput } from "../model.ts";

/** An event about a model call, sent as an event of the span or as a log record. */
export interface GenAiEvent {
	name: string;
	/** The record's body, or the event's attributes. */
	data: PlainObject;
}

/** The GenAI events of a span, followed by its GenAI log records. */
export function readGenAiEvents(span: SpanInput): GenAiEvent[] {
	const events = span.events
		.filter((event) => event.name.startsWith("gen_ai."))
		.map((event) => ({ name: event.name, data: eventData(event.attributes) }));
	const logs = span.logs
		.map((log) => ({ name: log.eventName || textValue(log.attributes.get("event.name")) || "", log }))
		.filter(({ name }) => name.startsWith("gen_ai."))
		.map(({ name, log }) => ({ name, data: bodyData(log.body, log.attributes) }));
	return [...events, ...logs];
}

/** Azure and Semantic Kernel put the whole event into one attribute as JSON. */
function eventData(attributes: Attributes): PlainObject {
	const content = decoded(attributes.get("gen_ai.event.content"));
	if (isObject(content)) return content;
	return toObject(
		[...attributes].map(([key, value]) => [key, key === "content" || key === "message" ? decodedPart(value) : value]),
	);
}

/** JSON text in an event's attribute is a list of parts or a message; any other text is content. */
function decodedPart(value: Plain): Plain {
	const data = decoded(value) ?? value;
	return typeof data === "object" ? data : value;
}

function bodyData(body: Plain, attributes: Attributes): PlainObject {
	const data = decoded(body);
	if (isObject(data)) return toObject([...attributes, ...Object.entries(data)]);
	if (data === undefined || data === null) return toObject(attributes);
	return toObject([...attributes, ["content", data]]);
}

const INPUT_ROLES: ReadonlyMap<string, string> = new Map([
	["gen_ai.system.message", "system"],
	["gen_ai.user.message", "user"],
	["gen_ai.assistant.message", "assistant"],
	["gen_ai.tool.message", "tool"],
]);

/** The messages of one side of a call, in the order of the events. */
export function readEventMessages(events: readonly GenAiEvent[], side: Side): Message[] | undefined {
	return nonEmpty(events.flatMap((event) => (side === "input" ? inputOf(event) : outputOf(event))));
}

function inputOf(event: GenAiEvent): Message[] {
	const role = INPUT_ROLES.get(event.name);
	if (role !== undefined) return readEventMessage(event.data, role);
	if (event.name === "gen_ai.content.prompt") return textOrMessages(event.data, "gen_ai.prompt", "input");
	if (event.name !== OPERATION_DETAILS) return [];
	const system = readMessages(wrapSystem(field(event.data, "gen_ai.system_instructions")), "input") ?? [];
	return [...system, ...(readMessages(field(event.data, "gen_ai.input.messages"), "input") ?? [])];
}

function outputOf(event: GenAiEvent): Message[] {
	if (event.name === "gen_ai.choice") return readEventMessage(event.data, "assistant");
	if (event.name === "gen_ai.content.completion") return textOrMessages(event.data, "gen_ai.completion", "output");
	if (event.name !== OPERATION_DETAILS) return [];
	return readMessages(field(event.data, "gen_ai.output.messages"), "output") ?? [];
}

const OPERATION_DETAILS = "gen_ai.client.inference.operation.details";

function wrapSystem(instructions: Plain | undefined): Plain | undefined {
	const parts = decoded(instructions);
	return parts === undefined || parts === null ? undefined : [{ role: "system", parts: parts }];
}

function readEventMessage(data: PlainObject, role: string): Message[] {
	const inner = decoded(field(data, "message")) ?? decoded(field(data, "content"));
	const merged = toObject(Object.entries(data));
	// Gemini: {"content": {"role": "model", "parts": […]}}; the choice of others: {"message": {"role": …, "content": …}}.
	if (
		isObject(inner) &&
		(field(inner, "parts") !== undefined || field(inner, "content") !== undefined || "tool_calls" in inner)
	) {
		return readMessage(toObject([["role", role], ...Object.entries(inner)]), role);
	}
	if (field(data, "content") === undefined && inner !== undefined) merged["content"] = inner;
	delete merged["message"];
	if (merged["role"] === undefined) merged["role"] = role;
	return readMessage(merged, role);
}

function textOrMessages(data: PlainObject, key: string, side: Side): Message[] {
	const value = field(data, key) ?? field(data, "content");
	const messages = readMessages(value, side);
	if (messages !== undefined) return messages;
	const role = side === "input" ? "user" : "assistant";
	return typeof value === "string" && value !== "" ? [{ role, text: value }] : [];
}
