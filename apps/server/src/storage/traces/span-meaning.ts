import {
	decodeLogRecord,
	decodeScope,
	decodeSpan,
	type LogRecord,
	type Span,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import { readTexts, type SpanInput } from "@spanward/semconv";
import type { SpanContent } from "./trace-store.ts";

/** Human texts of a span as it is stored; what `openTraceWriter` asks for. */
export function readStoredTexts(content: SpanContent): { input?: string; output?: string } {
	return readTexts(toSpanInput(content));
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
