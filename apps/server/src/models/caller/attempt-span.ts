import { fromPlain, type KeyValue, type PlainValue, type ResourceSpans } from "@spanward/otlp";
import { VERSION } from "#http/versions.ts";
import type { CallPurpose, CallUse } from "../call-model.ts";
import type { ModelError } from "../model-error.ts";
import type {
	MessagePart,
	ModelAnswer,
	ModelMessage,
	ModelRequest,
	ModelUsage,
	PartialAnswer,
	ToolCall,
} from "../model-request.ts";
import { CUT_ANSWER, storedAnswer } from "../stored-answer.ts";

/** One try of a call, as it went. */
export interface Attempt {
	readonly traceId: string;
	readonly spanId: string;
	readonly use: Pick<CallUse, "purpose" | "parent" | "name" | "promptVersionId">;
	/** As it was sent. */
	readonly request: ModelRequest;
	readonly provider: string | undefined;
	/** Microseconds since 1970. */
	readonly startMicros: number;
	readonly endMicros: number;
	/** Until the first piece of a streamed answer. */
	readonly firstTokenMs: number | undefined;
	readonly answer: ModelAnswer | undefined;
	readonly error: ModelError | undefined;
	readonly partial: PartialAnswer | undefined;
	readonly warnings: readonly string[];
}

const ORIGINS: Readonly<Record<CallPurpose, string>> = {
	playground: "playground",
	chat_completions: "playground",
	test: "playground",
	experiment: "experiment",
	evaluator: "evaluator",
};
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

type Attributes = Record<string, PlainValue>;

/**
 * The span of an attempt, as instrumentations by OpenInference write it. Nothing of the connection is in it.
 * @param withImages false where it would be too large with them
 */
export function attemptSpan(attempt: Attempt, { withImages }: { readonly withImages: boolean }): ResourceSpans[] {
	const { traceId, spanId, use, request, error, startMicros, endMicros } = attempt;
	const event = { timeUnixNano: BigInt(endMicros) * 1_000n, droppedAttributesCount: 0 };
	const failure = error === undefined ? {} : { "exception.type": error.code, "exception.message": error.message };
	const span = {
		traceId,
		spanId,
		parentSpanId: use.parent?.spanId ?? "",
		traceState: "",
		flags: 0,
		name: use.name ?? request.model,
		kind: CLIENT,
		startTimeUnixNano: BigInt(startMicros) * 1_000n,
		endTimeUnixNano: BigInt(endMicros) * 1_000n,
		attributes: toKeyValues(attributesOf(attempt, withImages)),
		droppedAttributesCount: 0,
		events: error === undefined ? [] : [{ ...event, name: "exception", attributes: toKeyValues(failure) }],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: error === undefined ? { code: OK, message: "" } : { code: ERROR, message: error.message },
	};
	const scope = { name: "spanward.models", version: VERSION, attributes: [], droppedAttributesCount: 0 };
	const resource = { attributes: toKeyValues({ "service.name": "spanward" }), droppedAttributesCount: 0 };
	return [{ resource, scopeSpans: [{ scope, spans: [span], schemaUrl: "" }], schemaUrl: "" }];
}

function toKeyValues(attributes: Attributes): KeyValue[] {
	return Object.entries(attributes).map(([key, value]) => ({ key, value: fromPlain(value) }));
}

function attributesOf(attempt: Attempt, withImages: boolean): Attributes {
	const { request, provider, use, answer, partial, error, firstTokenMs, warnings } = attempt;
	const attributes: Attributes = {
		"openinference.span.kind": "LLM",
		"llm.model_name": answer?.model || request.model,
		"llm.request.model_name": request.model,
		"spanward.origin": ORIGINS[use.purpose],
		"llm.invocation_parameters": JSON.stringify(parametersOf(request)),
	};
	if (provider !== undefined) attributes["llm.provider"] = provider;
	if (use.promptVersionId !== undefined) attributes["spanward.prompt_version.id"] = use.promptVersionId;
	if (firstTokenMs !== undefined) attributes["spanward.first_token_ms"] = Math.round(firstTokenMs);
	if (error !== undefined) attributes["error.type"] = error.code;
	const messages = request.messages.flatMap(splitToolResults);
	for (const [index, message] of messages.entries()) {
		addMessage(attributes, `llm.input_messages.${index}.message`, message, withImages);
	}
	for (const [index, schema] of toolSchemas(request).entries()) {
		attributes[`llm.tools.${index}.tool.json_schema`] = JSON.stringify(schema);
	}
	const output = answer ?? partial;
	const kept = output === undefined ? undefined : storedAnswer(output);
	if (kept !== undefined) addOutput(attributes, kept.answer);
	const notes = kept?.isCut === true ? [...warnings, CUT_ANSWER] : warnings;
	if (notes.length > 0) attributes["spanward.warnings"] = notes;
	if (answer !== undefined) attributes["llm.finish_reason"] = answer.finish_reason;
	if (output?.usage !== undefined) addUsage(attributes, output.usage);
	return attributes;
}

/** Named as OpenAI does, which is what readers of `llm.invocation_parameters` know. */
function parametersOf({ invocation_parameters: parameters, tools, response_format: format }: ModelRequest): object {
	const members = parameters === undefined ? {} : (parameters as unknown as Record<string, object>)[parameters.type];
	const choice = tools?.tool_choice;
	return {
		...members,
		...(choice === undefined ? {} : { tool_choice: toolChoiceOf(choice) }),
		...(tools?.disable_parallel_tool_calls === undefined
			? {}
			: { parallel_tool_calls: !tools.disable_parallel_tool_calls }),
		...(format === undefined ? {} : { response_format: format }),
	};
}

function toolChoiceOf(choice: NonNullable<NonNullable<ModelRequest["tools"]>["tool_choice"]>): unknown {
	switch (choice.type) {
		case "none":
			return "none";
		case "zero_or_more":
			return "auto";
		case "one_or_more":
			return "required";
		case "specific_function":
			return { type: "function", function: { name: choice.function_name } };
	}
}

function toolSchemas({ tools }: ModelRequest): readonly unknown[] {
	return (tools?.tools ?? []).map((tool) => (tool.type === "raw" ? tool.raw : tool));
}

interface SpanMessage {
	readonly role: string;
	readonly content: string | readonly MessagePart[];
	readonly toolCallId?: string;
}

/** A message of a span has one tool result at most, so each becomes a message of its own. */
function splitToolResults({ role, content }: ModelMessage): SpanMessage[] {
	if (typeof content === "string") return [{ role, content }];
	const results = content.filter((part) => part.type === "tool_result");
	const others = content.filter((part) => part.type !== "tool_result");
	return [
		...(others.length > 0 || results.length === 0 ? [{ role, content: others }] : []),
		...results.map(({ tool_call_id: toolCallId, tool_result: result }) => ({
			role: "tool",
			toolCallId,
			content: typeof result === "string" ? result : JSON.stringify(result),
		})),
	];
}

function addMessage(attributes: Attributes, prefix: string, message: SpanMessage, withImages: boolean): void {
	const { role, content, toolCallId } = message;
	attributes[`${prefix}.role`] = role;
	if (toolCallId !== undefined) attributes[`${prefix}.tool_call_id`] = toolCallId;
	if (typeof content === "string") {
		attributes[`${prefix}.content`] = content;
		return;
	}
	let parts = 0;
	let calls = 0;
	for (const part of content) {
		if (part.type === "tool_call") {
			const { name, arguments: text } = part.tool_call;
			addToolCall(attributes, `${prefix}.tool_calls.${calls}`, { id: part.tool_call_id, name, arguments: text });
			calls += 1;
			continue;
		}
		if (part.type === "tool_result" || (part.type === "reasoning" && part.text === "")) continue;
		const at = `${prefix}.contents.${parts}.message_content`;
		parts += 1;
		if (part.type === "reasoning") {
			attributes[`${at}.type`] = "reasoning";
			attributes[`${at}.text`] = part.text;
			continue;
		}
		const isImage = part.type === "image" && withImages;
		attributes[`${at}.type`] = isImage ? "image" : "text";
		if (isImage) attributes[`${at}.image.image.url`] = `data:${part.media_type};base64,${part.data}`;
		else attributes[`${at}.text`] = part.type === "text" ? part.text : `(${part.media_type}, too large to be kept)`;
	}
}

function addToolCall(attributes: Attributes, at: string, { id, name, arguments: text }: ToolCall): void {
	attributes[`${at}.tool_call.id`] = id;
	attributes[`${at}.tool_call.function.name`] = name;
	attributes[`${at}.tool_call.function.arguments`] = text;
}

function addOutput(attributes: Attributes, { text, reasoning, tool_calls: calls }: PartialAnswer): void {
	const prefix = "llm.output_messages.0.message";
	attributes[`${prefix}.role`] = "assistant";
	if (reasoning === "") attributes[`${prefix}.content`] = text;
	else {
		const parts = [{ type: "reasoning", text: reasoning }, ...(text === "" ? [] : [{ type: "text", text }])];
		for (const [index, part] of parts.entries()) {
			attributes[`${prefix}.contents.${index}.message_content.type`] = part.type;
			attributes[`${prefix}.contents.${index}.message_content.text`] = part.text;
		}
	}
	for (const [index, call] of calls.entries()) addToolCall(attributes, `${prefix}.tool_calls.${index}`, call);
}

function addUsage(attributes: Attributes, usage: ModelUsage): void {
	const { input, output, cache_read: read, cache_write: write, reasoning } = usage;
	attributes["llm.token_count.prompt"] = input;
	attributes["llm.token_count.completion"] = output;
	attributes["llm.token_count.total"] = input + output;
	if (read !== undefined) attributes["llm.token_count.prompt_details.cache_read"] = read;
	if (write !== undefined) attributes["llm.token_count.prompt_details.cache_write"] = write;
	if (reasoning !== undefined) attributes["llm.token_count.completion_details.reasoning"] = reasoning;
}
