import type { Span } from "@arizeai/phoenix-client/spans";

interface SpanSketch {
	readonly trace?: number;
	readonly span: number;
	readonly parent?: number;
	readonly name: string;
	readonly kind: string;
	readonly status?: "OK" | "ERROR";
	readonly second?: number;
	readonly attributes?: Span["attributes"];
}

export function makeSpan({
	trace = 1,
	span,
	parent,
	name,
	kind,
	status = "OK",
	second = span,
	attributes = {},
}: SpanSketch): Span {
	return {
		name,
		context: { trace_id: traceId(trace), span_id: spanId(span) },
		span_kind: kind,
		parent_id: parent === undefined ? null : spanId(parent),
		start_time: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
		end_time: new Date(Date.UTC(2026, 0, 1, 0, 10)).toISOString(),
		status_code: status,
		attributes,
	};
}

export function traceId(number: number): string {
	return number.toString(16).padStart(32, "0");
}

export function spanId(number: number): string {
	return number.toString(16).padStart(16, "0");
}
