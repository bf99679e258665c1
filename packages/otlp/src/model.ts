/**
 * The messages of OTLP 1.x as TypeScript, lossless: 64-bit integers are bigints, an int and a double of equal value
 * stay apart, attribute lists keep their order and repeated keys.
 * Source: opentelemetry-proto `trace/v1/trace.proto`, `common/v1/common.proto`, `logs/v1/logs.proto`.
 */

export type AnyValue =
	| { readonly type: "empty" }
	| { readonly type: "string"; readonly value: string }
	| { readonly type: "bool"; readonly value: boolean }
	| { readonly type: "int"; readonly value: bigint }
	| { readonly type: "double"; readonly value: number }
	| { readonly type: "bytes"; readonly value: Uint8Array }
	| { readonly type: "array"; readonly value: readonly AnyValue[] }
	| { readonly type: "kvlist"; readonly value: readonly KeyValue[] };

export interface KeyValue {
	readonly key: string;
	readonly value: AnyValue;
}

/** Says which attributes of a resource identify and describe an entity (`common.proto`, in development). */
export interface EntityRef {
	readonly schemaUrl: string;
	readonly type: string;
	readonly idKeys: readonly string[];
	readonly descriptionKeys: readonly string[];
}

export interface Resource {
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
	/** Absent when none were sent. */
	readonly entityRefs?: readonly EntityRef[];
}

export interface Scope {
	readonly name: string;
	readonly version: string;
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
}

export interface SpanEvent {
	readonly timeUnixNano: bigint;
	readonly name: string;
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
}

export interface SpanLink {
	/** Lower-case hex. */
	readonly traceId: string;
	/** Lower-case hex. */
	readonly spanId: string;
	readonly traceState: string;
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
	readonly flags: number;
}

export interface Span {
	/** 32 lower-case hex digits once validated; as sent before. */
	readonly traceId: string;
	/** 16 lower-case hex digits once validated. */
	readonly spanId: string;
	/** Empty for a root. */
	readonly parentSpanId: string;
	readonly traceState: string;
	readonly flags: number;
	readonly name: string;
	/** SpanKind of OTLP: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
	readonly kind: number;
	readonly startTimeUnixNano: bigint;
	readonly endTimeUnixNano: bigint;
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
	readonly events: readonly SpanEvent[];
	readonly droppedEventsCount: number;
	readonly links: readonly SpanLink[];
	readonly droppedLinksCount: number;
	/** code: 0 unset, 1 ok, 2 error. */
	readonly status: { readonly code: number; readonly message: string };
}

export interface ScopeSpans {
	readonly scope: Scope;
	readonly spans: readonly Span[];
	readonly schemaUrl: string;
}

export interface ResourceSpans {
	readonly resource: Resource;
	readonly scopeSpans: readonly ScopeSpans[];
	readonly schemaUrl: string;
}

export interface LogRecord {
	readonly timeUnixNano: bigint;
	readonly observedTimeUnixNano: bigint;
	readonly severityNumber: number;
	readonly severityText: string;
	readonly body: AnyValue;
	readonly attributes: readonly KeyValue[];
	readonly droppedAttributesCount: number;
	readonly flags: number;
	/** Lower-case hex, empty when the record belongs to no span. */
	readonly traceId: string;
	readonly spanId: string;
	readonly eventName: string;
}

export interface ScopeLogs {
	readonly scope: Scope;
	readonly logRecords: readonly LogRecord[];
	readonly schemaUrl: string;
}

export interface ResourceLogs {
	readonly resource: Resource;
	readonly scopeLogs: readonly ScopeLogs[];
	readonly schemaUrl: string;
}

/**
 * An attribute value as JSON-like data: kvlists are objects without a prototype (so `__proto__` is a key like any
 * other), integers are numbers while they are exact and bigints beyond, an empty value is null.
 */
export type PlainValue =
	| null
	| string
	| boolean
	| number
	| bigint
	| Uint8Array
	| readonly PlainValue[]
	| { readonly [key: string]: PlainValue };
