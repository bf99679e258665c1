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
import type { Semantic, SpanInput } from "@spanward/semconv";
import * as semconv from "@spanward/semconv";
import type { SpanSummary, StoredSpan } from "../storage/traces/trace-store.ts";
import type { FlatAttributes } from "./flat-attributes.ts";

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

/** What the span means, by any of the conventions. */
export function readMeaning(decoded: DecodedSpan): Semantic {
	return semconv.readSemantic(toInput(decoded));
}

/** OpenInference attributes, flat, that the span's convention means. */
export function readOpenInference(decoded: DecodedSpan, _present: FlatAttributes): FlatAttributes {
	return semconv.toOpenInference(toInput(decoded));
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
