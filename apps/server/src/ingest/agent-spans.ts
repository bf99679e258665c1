import { hash } from "node:crypto";
import {
	decodeLogRecord,
	decodeResource,
	decodeScope,
	encodeLogRecord,
	encodeTraceRequest,
	fromPlain,
	type KeyValue,
	type LogRecord,
	type ResourceSpans,
	type ScannedLogEvent,
	type ScannedLogRecord,
	type ScannedLogs,
	type ScopeSpans,
	type Span,
	toPlainMap,
} from "@spanward/otlp";
import { type AgentMessage, type AgentReading, type AgentSpan, readAgentEvent, type SpanKey } from "@spanward/semconv";

const SPAN_KIND_INTERNAL = 1;
const SPAN_KIND_CLIENT = 3;
const STATUS_ERROR = 2;

interface Told {
	/** `ExportTraceServiceRequest` of the spans that events are. */
	readonly message: Uint8Array;
	/** Texts of events that join these spans. */
	readonly records: readonly ScannedLogRecord[];
	/** Number of events that say nothing that is kept. */
	readonly unread: number;
}

/**
 * Makes spans of the events of coding agents. Their ids are hashes of what the events name, so that an event that is sent
 * again is the same span, and a trace comes together whichever of its events comes first.
 */
export function spansOfEvents({ events, scopes, resources }: ScannedLogs, depth: number): Told {
	const records: ScannedLogRecord[] = [];
	// By resource: one that many scopes share is as large as all of them.
	const groups = new Map<number, ResourceSpans & { readonly scopeSpans: ScopeSpans[] }>();
	let unread = 0;
	for (const [index, ofScope] of Map.groupBy(events, ({ scope }) => scope)) {
		const scope = scopes[index];
		const resource = scope && resources[scope.resource];
		if (scope === undefined || resource === undefined) throw new Error("a scanned event has no scope or resource");
		const group = groups.get(scope.resource) ?? {
			resource: decodeResource(resource.bytes, depth),
			scopeSpans: [],
			schemaUrl: resource.schemaUrl,
		};
		groups.set(scope.resource, group);
		const spans: Span[] = [];
		for (const event of ofScope) {
			const record = decodeLogRecord(event.bytes, depth);
			const told = readEvent(event, record);
			if (told === undefined) unread += 1;
			else {
				const traceId = idOf(told.trace, 32);
				if (told.span !== undefined) spans.push(toSpan(told.span, traceId, record));
				for (const message of told.messages) records.push(toRecord(message, traceId, record, scope.resource));
			}
		}
		group.scopeSpans.push({ scope: decodeScope(scope.bytes, depth), spans, schemaUrl: scope.schemaUrl });
	}
	return { message: encodeTraceRequest([...groups.values()]), records, unread };
}

function readEvent({ eventName, bytes }: ScannedLogEvent, record: LogRecord): AgentReading | undefined {
	const nanos = nanosOf(record);
	const digest = () => hash("sha256", bytes);
	return readAgentEvent({ name: eventName, attributes: toPlainMap(record.attributes), nanos, digest });
}

/** `logs.proto`: without a time, the one when it was observed is to be used. */
function nanosOf({ timeUnixNano, observedTimeUnixNano }: LogRecord): bigint {
	return timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano;
}

function toSpan(span: AgentSpan, traceId: string, record: LogRecord): Span {
	const { key, parent, name, isCall, start, end, error, renamed, added } = span;
	const kept: KeyValue[] = [];
	for (const { key, value } of record.attributes) {
		const renamedTo = renamed.get(key) ?? key;
		if (!added.has(renamedTo)) kept.push({ key: renamedTo, value });
	}
	return {
		traceId,
		spanId: spanIdOf(traceId, key),
		parentSpanId: parent === undefined ? "" : spanIdOf(traceId, parent),
		traceState: "",
		flags: 0,
		name,
		kind: isCall ? SPAN_KIND_CLIENT : SPAN_KIND_INTERNAL,
		startTimeUnixNano: start,
		endTimeUnixNano: end,
		// Where these are more than a span may have, the last ones are dropped.
		attributes: [...[...added].map(([key, value]) => ({ key, value: fromPlain(value) })), ...kept],
		droppedAttributesCount: record.droppedAttributesCount,
		events: [],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: error === undefined ? { code: 0, message: "" } : { code: STATUS_ERROR, message: error },
	};
}

function toRecord(
	{ of, eventName, text }: AgentMessage,
	traceId: string,
	record: LogRecord,
	resource: number,
): ScannedLogRecord {
	const nanos = nanosOf(record);
	const spanId = spanIdOf(traceId, of);
	// Without the event's attributes, which would be read as members of the message.
	const content = { attributes: [], body: { type: "string", value: text } } as const;
	const bytes = encodeLogRecord({
		...record,
		...{ traceId, spanId, eventName, ...content },
	});
	const micros = nanos / 1_000n;
	return {
		...{ traceId, spanId, eventName, bytes, resource },
		timeMicros: Number(micros),
		timeNanos: Number(nanos - micros * 1_000n),
	};
}

function spanIdOf(traceId: string, key: SpanKey): string {
	return idOf([traceId, ...key], 16);
}

/** Hex digits that stand for these texts; equal ones only for equal texts. */
function idOf(texts: readonly string[], digits: number): string {
	return hash("sha256", JSON.stringify(texts)).slice(0, digits);
}
