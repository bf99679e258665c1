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

/** Human texts of a span as it is stored; what `openTraceWriter` asks for. */
export function readStoredTexts(content: SpanContent): { input?: string; output?: string } {
	return readTexts(toSpanInput(content));
}

/** Attributes of OpenInference that a span of another convention does not carry but means, by key. */
export function readDerivedAttributes(content: SpanContent): ReadonlyMap<string, Plain> {
	const input = toSpanInput(content);
	const { convention } = readFacts(input.name, input.scopeName, input.attributes);
	return convention === "openinference" || convention === "plain" ? new Map() : toOpenInference(input);
}

function toSpanInput(content: SpanContent): SpanInput {
	const span: Span = decodeSpan(content.span);
	return {
		name: span.name,
		scopeName: content.scope.length === 0 ? "" : decodeScope(content.scope).name,
		statusCode: span.status.code,
		statusMessage: span.status.message,
		attributes: toPlainMap(span.attributes),
		events: span.events.map((event) => ({ name: event.name, attributes: toPlainMap(event.attributes) })),
		logs: content.logs.map((bytes) => toLogInput(decodeLogRecord(bytes))),
	};
}

function toLogInput(record: LogRecord): SpanInput["logs"][number] {
	const attributes = toPlainMap(record.attributes);
	const eventName = record.eventName || String(attributes.get("event.name") ?? "");
	return { eventName, body: toPlain(record.body), attributes };
}
