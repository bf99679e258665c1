import type { PlainValue } from "./model.ts";

/** A span found by scanning an export: its basic fields, the promoted attributes, and its bytes. */
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
	/** Microseconds since 1970, and the remaining nanoseconds. */
	startMicros: number;
	startNanos: number;
	endMicros: number;
	endNanos: number;
	/** 0 unset, 1 ok, 2 error. */
	statusCode: number;
	statusMessage: string;
	/** Attributes whose key is in the key table, decoded; without empty values, and of a repeated key the last one. */
	promoted: ReadonlyMap<string, PlainValue>;
	/** The `Span` message: a view of the request, or a new array when a limit was exceeded. */
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
	/** Attributes whose key is in the key table of resources, as those of spans. */
	promoted: ReadonlyMap<string, PlainValue>;
}

/** Rejected spans (or log records); the twentieth and later ones of a reason share an entry. */
export interface Rejection {
	/** Number of items of this entry. The total is the sum of these, not the number of entries. */
	count: number;
	/** For metrics: `invalid_trace_id`, `invalid_span_id`, `too_deep`, … */
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

/** A record that is an event of its own, whatever its trace and span ids. */
export interface ScannedLogEvent {
	/** The name by which it was kept. */
	eventName: string;
	bytes: Uint8Array;
	/** Index in `ScannedLogs.scopes`. */
	scope: number;
}

export interface ScannedLogs {
	/** Records that carry a trace and a span id and an event name of GenAI (`gen_ai.…`). */
	records: ScannedLogRecord[];
	events: ScannedLogEvent[];
	/** Those of events. */
	scopes: ScannedScope[];
	resources: ScannedResource[];
	/** Number of well-formed records that belong to no span or are no GenAI events. */
	ignored: number;
	rejected: Rejection[];
}
