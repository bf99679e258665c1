import { firstSent, textValue, toObject } from "../attribute-values.ts";
import { compact, nonEmpty } from "../compact.ts";
import { asText, decoded, field, isList, isObject, parseStructure } from "../json.ts";
import { readParts } from "../message-parts.ts";
import { readMessage, readMessages, type Side } from "../messages.ts";
import type { Attributes, Message, Plain, RawValue, SpanFacts, SpanInput } from "../model.ts";
import { readToolCall } from "../tool-calls.ts";
import type { Content } from "./convention.ts";
import { type GenAiEvent, readEventMessages, readGenAiEvents } from "./genai-events.ts";
import { isPlainTextKey, readIndexed, readPlainText } from "./genai-prompts.ts";

const INPUT = [
	"gen_ai.tool.call.arguments",
	"tool_arguments",
	"gen_ai.tool.arguments",
	"gen_ai.tool.input",
	"gen_ai.tool.parameters",
	"gcp.vertex.agent.tool_call_args",
	"gen_ai.retrieval.query.text",
	"gen_ai.retrieval.query",
	"gen_ai.task.input",
	"gen_ai.agent.input",
	"gen_ai.workflow.input",
	"input.value",
	"input",
] as const;
const OUTPUT = [
	"gen_ai.tool.call.result",
	"tool_response",
	"gen_ai.tool.result",
	"gen_ai.tool.output",
	"gen_ai.tool.message",
	"gcp.vertex.agent.tool_response",
	"final_result",
	"gen_ai.task.output",
	"gen_ai.agent.output",
	"gen_ai.workflow.output",
	"output.value",
	"output",
] as const;
/** LangSmith: messages of a model, or any other input and output of a span. */
const ANY_INPUT = [...INPUT, "gen_ai.prompt"] as const;
const ANY_OUTPUT = [...OUTPUT, "gen_ai.completion"] as const;

/** Keys of messages as JSON, those of the convention first. */
const INPUT_MESSAGES = [
	"gen_ai.input.messages",
	"gen_ai.request.messages",
	"gen_ai.content.prompt",
	"gen_ai.prompt",
	"gcp.vertex.agent.llm_request",
	"request_data",
	"llm.prompts",
	"traceloop.entity.input",
] as const;
const OUTPUT_MESSAGES = [
	"gen_ai.output.messages",
	"gen_ai.completion",
	"gen_ai.response.messages",
	"gen_ai.content.completion",
	"gcp.vertex.agent.llm_response",
	"response_data",
	"llm.completions",
	"traceloop.entity.output",
] as const;
/** pydantic-ai */
const CONVERSATION = ["pydantic_ai.all_messages", "all_messages_events"] as const;

/** Input and output of a GenAI span, from its attributes, events or log records, whichever has them. */
export function readGenAiContent(span: SpanInput, facts: SpanFacts): Content {
	const { attributes } = span;
	const events = readGenAiEvents(span);
	const isModelCall =
		facts.kind === "LLM" || facts.kind === "AGENT" || facts.kind === "UNKNOWN" || facts.kind === "CHAIN";
	const input =
		raw(attributes, facts.kind === "LLM" ? INPUT : ANY_INPUT) ??
		(facts.kind === "TOOL" ? rawOfEvent(span, "gen_ai.tool.message") : undefined);
	const output =
		raw(attributes, facts.kind === "LLM" ? OUTPUT : ANY_OUTPUT) ??
		(facts.kind === "TOOL" ? rawOfEvent(span, "gen_ai.choice") : undefined);
	return compact<Content>({
		input,
		output,
		input_messages:
			isModelCall && input?.attribute !== "gen_ai.prompt" ? readInputMessages(attributes, events) : undefined,
		output_messages:
			isModelCall && output?.attribute !== "gen_ai.completion" ? readOutputMessages(attributes, events) : undefined,
		conversation: readSent(attributes, CONVERSATION, "input"),
		embedded_texts: facts.kind === "EMBEDDING" ? embeddedTexts(attributes) : undefined,
	});
}

function raw(attributes: Attributes, keys: readonly string[]): RawValue | undefined {
	const sent = firstSent(attributes, keys);
	if (sent === undefined) return undefined;
	const mime = sent.key.endsWith(".value")
		? textValue(attributes.get(sent.key.replace(/value$/, "mime_type")))
		: undefined;
	return compact<RawValue>({ attribute: sent.key, value: sent.value, mime });
}

/** Strands records a tool's arguments and result as events of the tool's span. */
function rawOfEvent(span: SpanInput, name: string): RawValue | undefined {
	const event = span.events.find((candidate) => candidate.name === name);
	const value = event?.attributes.get("content") ?? event?.attributes.get("message");
	return value === undefined || value === null ? undefined : { attribute: name, value };
}

function readInputMessages(attributes: Attributes, events: readonly GenAiEvent[]): Message[] | undefined {
	const system = readSystem(attributes.get("gen_ai.system_instructions") ?? attributes.get("system_prompt"));
	const messages =
		readIndexed(attributes, ["gen_ai.prompt", "llm.prompts"], "user") ??
		readSent(attributes, INPUT_MESSAGES, "input") ??
		readEventMessages(events, "input") ??
		readLoggedEvents(attributes, "input");
	if (messages === undefined) return nonEmpty(system);
	return messages.some((message) => message.role === "system") ? messages : [...system, ...messages];
}

function readOutputMessages(attributes: Attributes, events: readonly GenAiEvent[]): Message[] | undefined {
	return (
		readIndexed(attributes, ["gen_ai.completion", "llm.completions"], "assistant") ??
		readSent(attributes, OUTPUT_MESSAGES, "output") ??
		readResponseText(attributes) ??
		readEventMessages(events, "output") ??
		readToolAttributes(attributes) ??
		readLoggedEvents(attributes, "output")
	);
}

/** Instructions sent separately from the messages: text, or a list of parts. */
function readSystem(value: Plain | undefined): Message[] {
	if (value === undefined || value === null) return [];
	const data = decoded(value);
	const { text } = readParts(isList(data) || isObject(data) ? data : asText(data));
	return text === undefined ? [] : [{ role: "system", text }];
}

function readSent(attributes: Attributes, keys: readonly string[], side: Side): Message[] | undefined {
	for (const key of keys) {
		const value = attributes.get(key);
		if (value === undefined || value === null) continue;
		const messages = readMessages(value, side) ?? (isPlainTextKey(key) ? readPlainText(value, side) : undefined);
		if (messages !== undefined) return messages;
	}
	return undefined;
}

/** OpenLIT puts the tool calls of an answer on the model's span, several of them separated by commas. */
function readToolAttributes(attributes: Attributes): Message[] | undefined {
	const names = textValue(attributes.get("gen_ai.tool.name"))?.split(", ") ?? [];
	const ids = textValue(attributes.get("gen_ai.tool.call.id"))?.split(", ") ?? [];
	const sent = attributes.get("gen_ai.tool.args") ?? attributes.get("gen_ai.tool.call.arguments") ?? null;
	const list = names.length > 1 && typeof sent === "string" ? parseStructure(`[${sent}]`) : [sent];
	const calls = names.flatMap((name, index) => {
		const call = toObject([
			["id", ids[index] ?? null],
			["name", name],
			["arguments", isList(list) && list.length === names.length ? (list[index] ?? null) : sent],
		]);
		return readToolCall(call) ?? [];
	});
	return calls.length === 0 ? undefined : [{ role: "assistant", tool_calls: calls }];
}

/** Sentry's names. */
function readResponseText(attributes: Attributes): Message[] | undefined {
	const text = attributes.get("gen_ai.response.text");
	const calls = attributes.get("gen_ai.response.tool_calls");
	if (text === undefined && calls === undefined) return undefined;
	return nonEmpty(
		readMessage(
			toObject([
				["content", decoded(text) ?? null],
				["tool_calls", calls ?? null],
			]),
			"assistant",
		),
	);
}

/** Logfire and early pydantic-ai: the log events of a call as one JSON attribute `events`. */
function readLoggedEvents(attributes: Attributes, side: Side): Message[] | undefined {
	const list = decoded(attributes.get("events"));
	if (!isList(list)) return undefined;
	const events = list.filter(isObject).map((data) => ({ name: textValue(field(data, "event.name")) ?? "", data }));
	return readEventMessages(events, side);
}

function embeddedTexts(attributes: Attributes): string[] | undefined {
	const indexed = readIndexed(attributes, ["gen_ai.prompt"], "user");
	if (indexed !== undefined) return textsOf(indexed);
	const sent = firstSent(attributes, EMBEDDED);
	if (sent === undefined) return undefined;
	const value = decoded(sent.value);
	const data = sent.key === "request_data" && isObject(value) ? (field(value, "input") ?? null) : value;
	if (isList(data) && data.every((item) => typeof item === "string")) return nonEmpty(data);
	const messages = readMessages(data, "input");
	if (messages !== undefined) return textsOf(messages);
	return typeof data === "string" ? [data] : undefined;
}

const EMBEDDED = [
	"gen_ai.input.messages",
	"gen_ai.embeddings.input",
	"gen_ai.request.input",
	"gen_ai.prompt",
	"request_data",
] as const;

function textsOf(messages: readonly Message[]): string[] | undefined {
	return nonEmpty(messages.map((message) => message.text).filter((text) => text !== undefined));
}
