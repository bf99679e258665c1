import {
	decodeLogRecord,
	decodeScope,
	decodeSpan,
	type LogRecord,
	type Span,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import { type Plain, readFacts, readTexts, type SpanInput, toOpenInference } from "@spanward/semconv";
import type { SpanContent } from "./trace-store.ts";

/** A span and the log records that belong to it, as the semantic conventions read them. */
export function toSpanInput(span: Span, scopeName: string, logs: readonly LogRecord[]): SpanInput {
	return {
		name: span.name,
		scopeName,
		statusCode: span.status.code,
		statusMessage: span.status.message,
		attributes: toPlainMap(span.attributes),
		events: span.events.map((event) => ({ name: event.name, attributes: toPlainMap(event.attributes) })),
		logs: logs.map(toLogInput),
	};
}

/** Human texts of a `Span` message, with what the `LogRecord` messages that belong to it say. */
export function textsOf(
	span: Uint8Array,
	scopeName: string,
	logs: readonly Uint8Array[],
): { input: string | undefined; output: string | undefined } {
	const { input, output } = readTexts(
		toSpanInput(
			decodeSpan(span),
			scopeName,
			logs.map((log) => decodeLogRecord(log)),
		),
	);
	return { input, output };
}

/** Human texts of a span as it is stored; what `openTraceWriter` asks for. */
export function readStoredTexts({ span, scope, logs }: SpanContent): ReturnType<typeof textsOf> {
	return textsOf(span, decodeScope(scope).name, logs);
}

/** Attributes of OpenInference that a span of another convention does not carry but means, by key. */
export function readDerivedAttributes({ span, scope, logs }: SpanContent): ReadonlyMap<string, Plain> {
	const input = toSpanInput(
		decodeSpan(span),
		decodeScope(scope).name,
		logs.map((log) => decodeLogRecord(log)),
	);
	const { convention } = readFacts(input.name, input.scopeName, input.attributes);
	return convention === "openinference" || convention === "plain" ? new Map() : toOpenInference(input);
}

function toLogInput({ eventName, body, attributes }: LogRecord): SpanInput["logs"][number] {
	const plain = toPlainMap(attributes);
	// Where the name was before `LogRecord.event_name`.
	const older = plain.get("event.name");
	return {
		eventName: eventName === "" && typeof older === "string" ? older : eventName,
		body: toPlain(body),
		attributes: plain,
	};
}
