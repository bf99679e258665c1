import { decodeLogRecord, decodeScope, decodeSpan, toPlain, toPlainMap } from "@spanward/otlp";
import { readTexts, type SpanInput } from "@spanward/semconv";
import type { SpanContent } from "../storage/traces/trace-store.ts";

/** Human texts of a span, with what log records that belong to it say. */
export function textsOf(
	span: Uint8Array,
	scopeName: string,
	logs: readonly Uint8Array[],
): { input: string | undefined; output: string | undefined } {
	const { input, output } = readTexts(toSpanInput(span, scopeName, logs));
	return { input, output };
}

/** As `textsOf`, for a span that is stored already. */
export function readStoredTexts({ span, scope, logs }: SpanContent): ReturnType<typeof textsOf> {
	return textsOf(span, decodeScope(scope).name, logs);
}

function toSpanInput(span: Uint8Array, scopeName: string, logs: readonly Uint8Array[]): SpanInput {
	const { name, status, attributes, events } = decodeSpan(span);
	return {
		name,
		scopeName,
		statusCode: status.code,
		statusMessage: status.message,
		attributes: toPlainMap(attributes),
		events: events.map((event) => ({ name: event.name, attributes: toPlainMap(event.attributes) })),
		logs: logs.map(toLogInput),
	};
}

function toLogInput(record: Uint8Array): SpanInput["logs"][number] {
	const { eventName, body, attributes } = decodeLogRecord(record);
	const plain = toPlainMap(attributes);
	// Where the name was before `LogRecord.event_name`.
	const older = plain.get("event.name");
	return {
		eventName: eventName === "" && typeof older === "string" ? older : eventName,
		body: toPlain(body),
		attributes: plain,
	};
}
