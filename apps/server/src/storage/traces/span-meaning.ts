import {
	decodeLogRecord,
	decodeResource,
	decodeScope,
	decodeSpan,
	type LogRecord,
	type Span,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import {
	type Deployment,
	type Plain,
	readDeployment,
	readFacts,
	readTexts,
	type SpanInput,
	toOpenInference,
} from "@spanward/semconv";
import type { SpanContent } from "./trace-store.ts";

/** A span and its log records, as input of the semantic conventions. */
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

/** Human-readable texts of a `Span` message and its `LogRecord` messages. */
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

/** Human-readable texts of a stored span; an argument of `openTraceWriter`. */
export function readStoredTexts({ span, scope, logs }: SpanContent): ReturnType<typeof textsOf> {
	return textsOf(span, decodeScope(scope).name, logs);
}

/** What the content of a stored span says of its sender. @throws OtlpDecodeError */
export function readStoredDeployment({ span, resource }: Pick<SpanContent, "span" | "resource">): Deployment {
	const attributes = toPlainMap(decodeSpan(span).attributes);
	return readDeployment(attributes, toPlainMap(decodeResource(resource).attributes), {});
}

/** OpenInference attributes, by key, that follow from another convention of the span. */
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
	// Events had their name in this attribute before `LogRecord.event_name`.
	const older = plain.get("event.name");
	return {
		eventName: eventName === "" && typeof older === "string" ? older : eventName,
		body: toPlain(body),
		attributes: plain,
	};
}
