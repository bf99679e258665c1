import { asText, field, isList, isObject, MAX_DEPTH, type PlainObject, parseStructure, renderJson } from "./json.ts";
import { readMessages } from "./messages.ts";
import type { Message, Plain, SpanKind } from "./model.ts";

const INPUT_MEMBERS = new Set([
	"question",
	"q",
	"query",
	"input",
	"inputs",
	"input_args",
	"prompt",
	"text",
	"message",
	"msg",
	"content",
	"messages",
	"request",
	"task",
	"user_input",
	"user_message",
	"user_prompt",
	"user_query",
	"new_message",
	"query_bundle",
	"query_str",
	"str_or_query_bundle",
]);

const OUTPUT_MEMBERS = new Set([
	"answer",
	"output",
	"outputs",
	"result",
	"response",
	"text",
	"message",
	"content",
	"messages",
	"reply",
	"replies",
	"completion",
	"output_text",
	"final_output",
	"final_answer",
	"generated_text",
]);

/**
 * An input as readable text: the text itself, or the question inside a wrapper (quotes, messages, the arguments of a
 * decorated function, an object with nothing but a question). Other data stays as it was sent.
 */
export function inputText(value: Plain | undefined, kind: SpanKind): string | undefined {
	if (typeof value !== "string") return isEmpty(value) ? undefined : (unwrapInput(value, kind, 0) ?? asText(value));
	const data = parseStructure(value);
	if (data === undefined) return asText(value);
	if (isEmptyCall(data)) return undefined;
	return unwrapInput(data, kind, 0) ?? asText(value);
}

/** As `inputText`, for outputs: the answer, or what the assistant or the tool said. */
export function outputText(value: Plain | undefined, kind: SpanKind): string | undefined {
	if (typeof value !== "string") return isEmpty(value) ? undefined : (unwrapOutput(value, kind, 0) ?? asText(value));
	const data = parseStructure(value);
	if (data === undefined) return asText(value);
	return unwrapOutput(data, kind, 0) ?? asText(value);
}

function unwrapInput(data: Plain | undefined, kind: SpanKind, depth: number): string | undefined {
	if (depth > MAX_DEPTH) return undefined;
	if (typeof data === "string") return asText(data);
	if (isObject(data)) {
		const call = callArguments(data);
		if (call !== undefined) return callText(call, kind, depth);
	}
	if (kind === "TOOL" && !(isObject(data) && isList(field(data, "messages")))) return undefined;
	const question = lastQuestion(readMessages(data, "input"));
	if (question !== undefined) return question;
	if (kind === "RETRIEVER" && isObject(data)) {
		const query = field(data, "query");
		if (typeof query === "string") return asText(query);
	}
	const only = isObject(data) ? onlyMember(data, isSetting) : undefined;
	if (only === undefined || !INPUT_MEMBERS.has(only.key)) return undefined;
	return unwrapInput(only.value, kind, depth + 1);
}

function unwrapOutput(data: Plain | undefined, kind: SpanKind, depth: number): string | undefined {
	if (depth > MAX_DEPTH) return undefined;
	if (typeof data === "string") return asText(data);
	if (isObject(data) && isObject(field(data, "kwargs")) && field(data, "outputs") !== undefined) {
		// Traceloop's LangChain callback
		return unwrapOutput(field(data, "outputs"), kind, depth + 1) ?? asText(field(data, "outputs"));
	}
	const answer = lastAnswer(readMessages(data, "output"), isObject(data) && field(data, "messages") === undefined);
	if (answer !== undefined) return answer;
	const parts = textParts(data);
	if (parts !== undefined) return parts;
	if (!isObject(data) || kind === "TOOL") return undefined;
	const named = ANSWERS.flatMap((key) => asAnswer(field(data, key)));
	if (named.length === 1) return named[0];
	const only = onlyMember(data, isEmpty);
	if (only === undefined || !OUTPUT_MEMBERS.has(only.key)) return undefined;
	return unwrapOutput(only.value, kind, depth + 1);
}

/** The user's last message. */
export function lastQuestion(messages: readonly Message[] | undefined): string | undefined {
	return messages?.findLast((message) => message.role === "user" && message.text !== undefined)?.text;
}

/** The last message to the model, from the user or a tool. */
export function lastRequest(messages: readonly Message[] | undefined): string | undefined {
	const last = messages?.findLast((message) => message.role === "user" || message.role === "tool");
	return last?.text ?? lastQuestion(messages);
}

/** "unknown" is the role that OpenLLMetry's LangChain callback gives to streamed messages. */
const ANSWERING = ["assistant", "model", "unknown"];

/** The last message of the assistant (or, in a message alone, of a tool). */
export function lastAnswer(messages: readonly Message[] | undefined, toolsToo = false): string | undefined {
	const speakers = toolsToo ? [...ANSWERING, "tool"] : ANSWERING;
	return messages?.findLast((message) => speakers.includes(message.role) && message.text !== undefined)?.text;
}

interface CallArguments {
	args: readonly Plain[];
	kwargs: PlainObject;
}

/** `{"args": […], "kwargs": {…}}`, as decorators record the call of a Python function. */
function callArguments(data: PlainObject): CallArguments | undefined {
	const args = field(data, "args");
	const kwargs = field(data, "kwargs");
	const isCall =
		(isList(args) && isObject(kwargs)) || Object.keys(data).every((key) => key === "args" || key === "kwargs");
	if (!isCall || (args === undefined && kwargs === undefined)) {
		// Traceloop's LangChain callback has the values in `inputs`, next to tags and metadata.
		const inputs = field(data, "inputs") ?? null;
		return inputs !== null && isObject(kwargs) ? { args: [inputs], kwargs: {} } : undefined;
	}
	if (args !== undefined && !isList(args)) return undefined;
	return { args: args ?? [], kwargs: isObject(kwargs) ? kwargs : {} };
}

function callText(call: CallArguments, kind: SpanKind, depth: number): string | undefined {
	const named = Object.keys(call.kwargs).length;
	if (named === 0 && call.args.length === 1) {
		const [only] = call.args;
		return unwrapInput(only, kind, depth + 1) ?? asText(only);
	}
	if (named === 0) return renderJson(call.args);
	if (call.args.length === 0) return unwrapInput(call.kwargs, kind, depth + 1) ?? renderJson(call.kwargs);
	return undefined;
}

function isEmptyCall(data: Plain): boolean {
	if (!isObject(data)) return false;
	const call = callArguments(data);
	if (call === undefined || Object.keys(call.kwargs).length > 0) return false;
	return call.args.every((value) => isEmpty(value) || (isObject(value) && Object.values(value).every(isEmpty)));
}

/** Keys of a result next to its input or sources: `{"query": …, "result": …}`, `{"response": …, "sources": …}`. */
const ANSWERS = ["answer", "output", "result", "response", "output_text", "final_output", "final_answer"] as const;

function asAnswer(value: Plain | undefined): string[] {
	return typeof value === "string" && value !== "" ? [value] : [];
}

/** MCP's `{"content": [{"type": "text", "text": …}], "isError": …}`, LlamaIndex's `{"blocks": […], "is_error": …}`. */
function resultParts(data: PlainObject): Plain | undefined {
	if (typeof field(data, "isError") === "boolean") return field(data, "content");
	return typeof field(data, "is_error") === "boolean" ? field(data, "blocks") : undefined;
}

/** Text in the parts of a tool's result: `[{"text": …}]`, or an object with such a list. */
function textParts(data: Plain | undefined): string | undefined {
	const list = isObject(data) ? resultParts(data) : data;
	if (!isList(list) || list.length === 0) return undefined;
	const texts = list.map((item) => (isObject(item) && isTextPart(item) ? field(item, "text") : undefined));
	return texts.every((text) => typeof text === "string") ? asText(texts.join("\n")) : undefined;
}

function isTextPart(item: PlainObject): boolean {
	return Object.entries(item).every(([key, value]) => TEXT_PART.has(key) || value === null);
}

const TEXT_PART = new Set(["type", "block_type", "text", "annotations", "_meta"]);

/** Flags and limits next to a question do not make the object data. */
function isSetting(value: Plain): boolean {
	return isEmpty(value) || typeof value === "boolean" || typeof value === "number";
}

/** The only member with a value. */
function onlyMember(
	data: PlainObject,
	isNothing: (value: Plain) => boolean,
): { key: string; value: Plain } | undefined {
	let only: { key: string; value: Plain } | undefined;
	for (const [key, value] of Object.entries(data)) {
		if (isNothing(value)) continue;
		if (only !== undefined) return undefined;
		only = { key, value };
	}
	return only;
}

function isEmpty(value: Plain | undefined): boolean {
	return value === undefined || value === null || value === "" || (isList(value) && value.length === 0);
}
