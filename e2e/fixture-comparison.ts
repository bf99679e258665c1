import { isDeepStrictEqual } from "node:util";
import type {
	ExpectedMessage,
	ExpectedSource,
	ExpectedSpan,
	ExpectedTokens,
	ExpectedTrace,
} from "./fixture-sources.ts";

/** Parsed JSON of the REST API; read with `at`. */
export type Json = null | string | number | boolean | Json[] | { [key: string]: Json };

/** The value at a path of keys and positions, undefined where there is none. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
	let here: Json | undefined = value;
	for (const key of path) {
		if (here === null || typeof here !== "object") return undefined;
		here = (here as Record<string | number, Json>)[key];
	}
	return here;
}

/** Differences between what has to be and what is, one line each. */
export class Differences {
	readonly lines: string[] = [];
	readonly #subject: string;

	constructor(subject: string) {
		this.#subject = subject;
	}

	/** Absent, null, and empty lists and objects are the same: not in the data. */
	compare(what: string, expected: unknown, actual: unknown): void {
		if (isDeepStrictEqual(withoutAbsent(expected), withoutAbsent(actual))) return;
		this.lines.push(`${this.#subject}: ${what}: expected ${show(expected)}, got ${show(actual)}`);
	}
}

/** Everything of a span that is not meaning: as the REST list and the OTLP view show it. */
export function compareSent(expected: ExpectedSpan, span: Json, otlp: Json, source: ExpectedSource): string[] {
	const differences = new Differences(`${source.source} ${expected.name} (${expected.spanId})`);
	differences.compare("trace id", expected.traceId, at(span, "context", "trace_id"));
	differences.compare("name", expected.name, at(span, "name"));
	differences.compare("parent", expected.parentSpanId, at(span, "parent_id"));
	differences.compare("status", expected.status, at(span, "status_code"));
	differences.compare("start", toMicros(expected.startUnixNano), isoToMicros(at(span, "start_time")));
	differences.compare("end", toMicros(expected.endUnixNano), isoToMicros(at(span, "end_time")));
	differences.compare("exact start", expected.startUnixNano, at(otlp, "start_time_unix_nano"));
	differences.compare("exact end", expected.endUnixNano, at(otlp, "end_time_unix_nano"));
	differences.compare("kind", `SPAN_KIND_${expected.otelKind}`, at(otlp, "kind"));
	differences.compare("scope name", expected.scope.name, at(otlp, "scope", "name"));
	differences.compare("scope version", expected.scope.version || null, at(otlp, "scope", "version"));
	differences.compare("attribute count", expected.attributeCount, list(at(otlp, "attributes")).length);
	differences.compare(
		"events",
		expected.eventNames,
		list(at(otlp, "events")).map((event) => at(event, "name")),
	);
	differences.compare("links", expected.links, list(at(otlp, "links")).length);
	differences.compare("resource", source.resource, toPlainAttributes(at(otlp, "resource", "attributes")));
	return differences.lines;
}

/**
 * Where a span carries two conventions, the second may fill what the first leaves out (the notes of the source say so):
 * what is absent in expect.json may be there.
 */
const MAY_BE_FILLED: Readonly<Record<string, readonly string[]>> = {
	"js-ai-sdk6-openinference": ["tokens", "session", "user"],
};

function mayBeFilled(source: string, what: string, expected: unknown): boolean {
	return expected === undefined && (MAY_BE_FILLED[source]?.includes(what) ?? false);
}

/** What SCHEMA.md lists under MUST. */
export function compareMustMeaning(expected: ExpectedSpan, semantic: Json | undefined, source: string): string[] {
	const differences = new Differences(`${source} ${expected.name} (${expected.spanId})`);
	const kind = String(at(semantic, "kind"));
	const kinds = [expected.kind, ...expected.kindAccept];
	differences.compare("kind", kinds.includes(kind) ? kind : kinds.join(" or "), kind);
	differences.compare("model", expected.model, at(semantic, "model"));
	if (!mayBeFilled(source, "tokens", expected.tokens)) {
		differences.compare("tokens", toWireTokens(expected.tokens), at(semantic, "tokens"));
	}
	differences.compare("error message", expected.error?.message, at(semantic, "error", "message"));
	differences.compare("input", expected.input, at(semantic, "input"));
	differences.compare("output", expected.output, at(semantic, "output"));
	const input = expected.inputMessages?.map(toWireMessage);
	const output = expected.outputMessages?.map(toWireMessage);
	differences.compare("input messages", input, list(at(semantic, "input_messages")).map(pickMessage));
	differences.compare("output messages", output, list(at(semantic, "output_messages")).map(pickMessage));
	if (expected.documentsLevel !== "optional") {
		differences.compare("documents", expected.documents, at(semantic, "documents"));
	}
	if (expected.idsLevel !== "should" && !mayBeFilled(source, "session", expected.sessionId)) {
		differences.compare("session", expected.sessionId, at(semantic, "session_id"));
	}
	if (expected.idsLevel !== "should" && !mayBeFilled(source, "user", expected.userId)) {
		differences.compare("user", expected.userId, at(semantic, "user_id"));
	}
	return differences.lines;
}

/** What SCHEMA.md lists under SHOULD, and the keys it gives no level. */
export function compareShouldMeaning(expected: ExpectedSpan, semantic: Json | undefined, source: string): string[] {
	const differences = new Differences(`${source} ${expected.name} (${expected.spanId})`);
	const pairs: readonly (readonly [string, unknown, unknown])[] = [
		["request model", expected.requestModel, at(semantic, "request_model")],
		["provider", expected.provider, at(semantic, "provider")],
		["convention", expected.convention, at(semantic, "convention")],
		["error type", expected.error?.type, at(semantic, "error", "type")],
		["input text", expected.inputText, at(semantic, "input_text")],
		["output text", expected.outputText, at(semantic, "output_text")],
		["tool name", expected.tool?.name, at(semantic, "tool", "name")],
		["tool description", expected.tool?.description, at(semantic, "tool", "description")],
		["tool call id", expected.tool?.callId, at(semantic, "tool", "call_id")],
		["tool definitions", expected.toolDefinitions, at(semantic, "tool_definitions")],
		["prompt template", expected.promptTemplate, at(semantic, "prompt_template")],
		["embeddings", expected.embeddings, at(semantic, "embeddings")],
		["agent", expected.agentName, at(semantic, "agent_name")],
		["metadata", expected.metadata, at(semantic, "metadata")],
		["tags", expected.tags, at(semantic, "tags")],
		["finish reason", expected.finishReason, at(semantic, "finish_reason")],
		["content not captured", expected.contentNotCaptured, at(semantic, "content_not_captured")],
		["level", expected.level, at(semantic, "level")],
		["status message", expected.statusMessage, at(semantic, "status_message")],
		["trace name", expected.traceName, at(semantic, "trace_name")],
		["environment", expected.environment, at(semantic, "environment")],
		["version", expected.version, at(semantic, "version")],
		["release", expected.release, at(semantic, "release")],
		["function", expected.functionId, at(semantic, "function_id")],
		["session", expected.sessionId, at(semantic, "session_id")],
		["user", expected.userId, at(semantic, "user_id")],
	];
	for (const [what, wanted, actual] of pairs) if (wanted !== undefined) differences.compare(what, wanted, actual);
	if (expected.tokensAreAggregate === true) {
		differences.compare("tokens are an aggregate", true, at(semantic, "tokens_are_aggregate"));
	}
	if (expected.cost !== undefined) {
		differences.compare("cost", expected.cost.total, at(semantic, "cost", "total"));
		differences.compare("source of the cost", "sent", at(semantic, "cost", "source"));
	}
	return differences.lines;
}

/** A trace of the list of traces. */
export function compareTrace(expected: ExpectedTrace, trace: Json | undefined, source: string): string[] {
	const differences = new Differences(`${source} trace ${expected.traceId}`);
	differences.compare("root name", expected.rootSpanName, at(trace, "root_name"));
	differences.compare("spans", expected.spanCount, at(trace, "span_count"));
	differences.compare("errors", expected.errorSpanCount, at(trace, "error_count"));
	differences.compare("start", toMicros(expected.startUnixNano), isoToMicros(at(trace, "start_time")));
	differences.compare("end", toMicros(expected.endUnixNano), isoToMicros(at(trace, "end_time")));
	if (!mayBeFilled(source, "tokens", expected.tokens)) {
		differences.compare("prompt tokens", expected.tokens?.prompt ?? 0, at(trace, "token_count_prompt"));
		differences.compare("completion tokens", expected.tokens?.completion ?? 0, at(trace, "token_count_completion"));
		differences.compare("total tokens", expected.tokens?.total ?? 0, at(trace, "token_count_total"));
	}
	if (expected.rootInputText !== undefined) {
		differences.compare("first input", cut(expected.rootInputText), at(trace, "first_input"));
	}
	if (expected.rootOutputText !== undefined) {
		differences.compare("last output", cut(expected.rootOutputText), at(trace, "last_output"));
	}
	return differences.lines;
}

export function list(value: Json | undefined): Json[] {
	return Array.isArray(value) ? value : [];
}

/** Texts of lists are cut to 2,000 characters. */
function cut(text: string): string {
	return text.slice(0, 2_000);
}

function toWireTokens(tokens: ExpectedTokens | undefined): unknown {
	if (tokens === undefined) return undefined;
	const { cacheRead, cacheWrite, ...rest } = tokens;
	return { ...rest, cache_read: cacheRead, cache_write: cacheWrite };
}

function toWireMessage(message: ExpectedMessage): unknown {
	const { toolCalls, toolCallId, ...rest } = message;
	return { ...rest, tool_calls: toolCalls, tool_call_id: toolCallId };
}

/** The keys of a message that SCHEMA.md knows; the wire has more. */
function pickMessage(message: Json): unknown {
	const keys = ["role", "text", "tool_calls", "tool_call_id", "images", "name"];
	return Object.fromEntries(keys.map((key) => [key, at(message, key)]));
}

function toPlainAttributes(attributes: Json | undefined): unknown {
	return Object.fromEntries(list(attributes).map((pair) => [String(at(pair, "key")), toPlainValue(at(pair, "value"))]));
}

function toPlainValue(value: Json | undefined): unknown {
	if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
	const [variant, content] = Object.entries(value).find(([, held]) => held !== null) ?? [];
	if (variant === "array_value") return list(at(content, "values")).map(toPlainValue);
	if (variant === "kvlist_value") return toPlainAttributes(at(content, "values"));
	return content;
}

function toMicros(nanos: string): string {
	return String(BigInt(nanos) / 1_000n);
}

/** Microseconds since 1970 of `2023-11-14T22:13:20.200000+00:00`. */
function isoToMicros(time: Json | undefined): string | undefined {
	const [, seconds, fraction = ""] = /^(.*?)(?:\.(\d{6}))?\+00:00$/.exec(String(time)) ?? [];
	if (seconds === undefined) return undefined;
	return String(BigInt(Date.parse(`${seconds}Z`)) * 1_000n + BigInt(fraction || 0));
}

function withoutAbsent(value: unknown): unknown {
	if (value === null || value === undefined) return undefined;
	if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutAbsent);
	if (typeof value !== "object") return value;
	const entries = Object.entries(value)
		.map(([key, held]) => [key, withoutAbsent(held)] as const)
		.filter(([, held]) => held !== undefined);
	return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function show(value: unknown): string {
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
