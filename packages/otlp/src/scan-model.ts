import type { PlainValue } from "./model.ts";

/** A span found by the single pass over an export: its narrow fields, the promoted attributes, and where its bytes lie. */
export interface ScannedSpan {
	/** 32 lower-case hex digits, not all zero. */
	traceId: string;
	/** 16 lower-case hex digits, not all zero. */
	spanId: string;
	/** Null for a root (absent, empty or all zero). */
	parentSpanId: string | null;
	name: string;
	/** SpanKind of OTLP, 0–5. */
	kind: number;
	/** Microseconds since 1970 and the nanoseconds below. */
	startMicros: number;
	startNanos: number;
	endMicros: number;
	endNanos: number;
	/** 0 unset, 1 ok, 2 error. */
	statusCode: number;
	statusMessage: string;
	/** Attributes whose key is in the key table, decoded; empty values left out, of a repeated key the last. */
	promoted: ReadonlyMap<string, PlainValue>;
	/** The `Span` message: a view of the request, or a new array when a limit cut it. */
	bytes: Uint8Array;
	/** Index in `ScannedTraces.scopes`. */
	scope: number;
}

export interface ScannedScope {
	/** `InstrumentationScope` message, a view; may be empty. */
	bytes: Uint8Array;
	name: string;
	schemaUrl: string;
	/** Index in `ScannedTraces.resources`. */
	resource: number;
}

export interface ScannedResource {
	/** `Resource` message, a view; may be empty. */
	bytes: Uint8Array;
	schemaUrl: string;
	/** `openinference.project.name`, when it is a non-empty string. */
	projectName: string | undefined;
}

/** A span (or log record) that was left out; the twentieth and later ones of one reason share an entry. */
export interface Rejection {
	/** How many this entry stands for; add these up, there may be fewer entries than spans left out. */
	count: number;
	/** For counters: `invalid_trace_id`, `invalid_span_id`, `too_deep`, … */
	reason: string;
	/** A sentence that names the span and what to change. */
	message: string;
}

export interface ScannedTraces {
	spans: ScannedSpan[];
	scopes: ScannedScope[];
	resources: ScannedResource[];
	rejected: Rejection[];
}

export interface ScannedLogRecord {
	traceId: string;
	spanId: string;
	timeMicros: number;
	timeNanos: number;
	/** `event_name` of the record, else the attribute `event.name`, else empty. */
	eventName: string;
	bytes: Uint8Array;
	/** Index in `ScannedLogs.resources`. */
	resource: number;
}

export interface ScannedLogs {
	/** Records that carry a trace and a span id and an event name of GenAI (`gen_ai.…`). */
	records: ScannedLogRecord[];
	resources: ScannedResource[];
	/** Well-formed records that belong to no span or mean nothing to us. */
	ignored: number;
	rejected: Rejection[];
}
