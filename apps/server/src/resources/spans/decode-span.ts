import {
	decodeLogRecord,
	decodeResource,
	decodeScope,
	decodeSpan,
	type LogRecord,
	type Resource,
	type Scope,
	type Span,
} from "@spanward/otlp";
import { readSemantic, type Semantic, type SpanInput } from "@spanward/semconv";
import { toSpanInput } from "#storage/traces/span-meaning.ts";
import type { SpanSummary, StoredSpan } from "#storage/traces/trace-store.ts";

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
	const input = toSpanInput(decoded.span, decoded.scope.name, decoded.logs);
	return { ...decoded, input, meaning: readSemantic(input) };
}
