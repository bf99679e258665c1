import {
	decodeLogRecord,
	decodeResource,
	decodeScope,
	decodeSpan,
	type LogRecord,
	OtlpDecodeError,
	type Resource,
	type Scope,
	type Span,
} from "@spanward/otlp";
import { readSemantic, type Semantic, type SpanInput } from "@spanward/semconv";
import { damagedSpan, reportDamage } from "./content/damaged-blocks.ts";
import { storedSpanId, storedTraceId } from "./sent-ids/sent-ids.ts";
import { toSpanInput } from "./span-meaning.ts";
import type { SpanSummary, StoredSpan } from "./trace-store.ts";

/** A stored span with its decoded OTLP messages. */
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

/** Content that is damaged although its block could be read is replaced by what the summary says. */
export function decodeStoredSpan(stored: StoredSpan): DecodedSpan {
	try {
		return decode(stored);
	} catch (error) {
		if (!(error instanceof OtlpDecodeError)) throw error;
		const { summary } = stored;
		reportDamage({ spanId: summary.spanId, reason: error.message });
		const span = damagedSpan({
			trace_id: Buffer.from(storedTraceId(summary.traceId), "hex"),
			span_id: Buffer.from(storedSpanId(summary.spanId), "hex"),
			parent_span_id: summary.parentSpanId === null ? null : Buffer.from(storedSpanId(summary.parentSpanId), "hex"),
			name: summary.name,
			otel_kind: summary.otelKind,
			start_micros: summary.start.micros,
			start_nanos: summary.start.nanos,
			end_micros: summary.end.micros,
			end_nanos: summary.end.nanos,
			status_code: summary.statusCode,
			status_message: summary.statusMessage,
		});
		const none = { attributes: [], droppedAttributesCount: 0 };
		const scope = { name: "", version: "", ...none };
		return { summary, span, scope, scopeSchemaUrl: "", resource: none, resourceSchemaUrl: "", logs: [] };
	}
}

function decode({ summary, content }: StoredSpan): DecodedSpan {
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

/** A decoded span with its meaning, by any of the conventions. */
export interface UnderstoodSpan extends DecodedSpan {
	readonly input: SpanInput;
	/** Read when it is first asked for: most of the time of a list whose spans show only attributes. */
	readonly meaning: Semantic;
}

export function understandSpan(stored: StoredSpan): UnderstoodSpan {
	const decoded = decodeStoredSpan(stored);
	const input = toSpanInput(decoded.span, decoded.scope.name, decoded.logs);
	let meaning: Semantic | undefined;
	return {
		...decoded,
		input,
		get meaning() {
			meaning ??= readSemantic(input);
			return meaning;
		},
	};
}
