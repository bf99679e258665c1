import {
	decodeLogRecord,
	decodeResource,
	decodeScope,
	decodeSpan,
	type LogRecord,
	type Resource,
	type Scope,
	type Span,
	toPlain,
	toPlainMap,
} from "@spanward/otlp";
import { readSemantic, type Semantic, type SpanInput } from "@spanward/semconv";
import type { SpanSummary, StoredSpan } from "../storage/traces/trace-store.ts";

/** A stored span with the messages it was sent in. */
export interface DecodedSpan {
	readonly summary: SpanSummary;
	readonly span: Span;
	readonly scope: Scope;
	readonly scopeSchemaUrl: string;
	readonly resource: Resource;
	readonly resourceSchemaUrl: string;
	/** By time. */
	readonly logs: readonly LogRecord[];
}

export function decodeStoredSpan({ summary, content }: StoredSpan): DecodedSpan {
	return {
		summary,
		span: decodeSpan(content.span),
		scope: decodeScope(content.scope),
		scopeSchemaUrl: content.scopeSchemaUrl,
		resource: decodeResource(content.resource),
		resourceSchemaUrl: content.resourceSchemaUrl,
		logs: content.logs.map((log) => decodeLogRecord(log)),
	};
}

/** A decoded span with what it means, by any of the conventions. */
export interface UnderstoodSpan extends DecodedSpan {
	readonly input: SpanInput;
	readonly meaning: Semantic;
}

export function understandSpan(stored: StoredSpan): UnderstoodSpan {
	const decoded = decodeStoredSpan(stored);
	const input = toInput(decoded);
	return { ...decoded, input, meaning: readSemantic(input) };
}

function toInput({ span, scope, logs }: DecodedSpan): SpanInput {
	return {
		name: span.name,
		scopeName: scope.name,
		statusCode: span.status.code,
		statusMessage: span.status.message,
		attributes: toPlainMap(span.attributes),
		events: span.events.map((event) => ({ name: event.name, attributes: toPlainMap(event.attributes) })),
		logs: logs.map((log) => ({
			eventName: log.eventName,
			body: toPlain(log.body),
			attributes: toPlainMap(log.attributes),
		})),
	};
}
