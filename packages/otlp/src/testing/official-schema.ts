import { join } from "node:path";
import protobuf from "protobufjs";
import type {
	AnyValue,
	KeyValue,
	LogRecord,
	Resource,
	ResourceLogs,
	ResourceSpans,
	Scope,
	Span,
	SpanEvent,
	SpanLink,
} from "../model.ts";

/** The official schema, with an independent decoder; its messages are converted to our model for comparison. */

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => join(import.meta.dirname, "../../proto", target);
root.loadSync([
	"opentelemetry/proto/collector/trace/v1/trace_service.proto",
	"opentelemetry/proto/collector/logs/v1/logs_service.proto",
]);

const TraceRequest = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest");
const LogsRequest = root.lookupType("opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest");
const TraceResponse = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse");
const LogsResponse = root.lookupType("opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse");

const OBJECT = { longs: String, defaults: true, arrays: true };

export interface OfficialRequest<T> {
	readonly groups: T[];
	/** The same message, encoded by the official library. */
	readonly bytes: Uint8Array;
}

export function decodeOfficialTraces(bytes: Uint8Array): OfficialRequest<ResourceSpans> {
	const message = TraceRequest.decode(bytes);
	const { resourceSpans } = TraceRequest.toObject(message, OBJECT) as { resourceSpans: Wire<"scopeSpans">[] };
	return {
		groups: resourceSpans.map(({ resource, scopeSpans, schemaUrl }) => ({
			resource: toResource(resource),
			scopeSpans: scopeSpans.map(({ scope, spans, schemaUrl }) => ({
				scope: toScope(scope),
				spans: (spans ?? []).map(toSpan),
				schemaUrl,
			})),
			schemaUrl,
		})),
		bytes: TraceRequest.encode(message).finish(),
	};
}

export function decodeOfficialLogs(bytes: Uint8Array): OfficialRequest<ResourceLogs> {
	const message = LogsRequest.decode(bytes);
	const { resourceLogs } = LogsRequest.toObject(message, OBJECT) as { resourceLogs: Wire<"scopeLogs">[] };
	return {
		groups: resourceLogs.map(({ resource, scopeLogs, schemaUrl }) => ({
			resource: toResource(resource),
			scopeLogs: scopeLogs.map(({ scope, logRecords, schemaUrl }) => ({
				scope: toScope(scope),
				logRecords: (logRecords ?? []).map(toLogRecord),
				schemaUrl,
			})),
			schemaUrl,
		})),
		bytes: LogsRequest.encode(message).finish(),
	};
}

export function decodeOfficialTraceResponse(bytes: Uint8Array): unknown {
	return TraceResponse.toObject(TraceResponse.decode(bytes), { longs: String });
}

export function decodeOfficialLogsResponse(bytes: Uint8Array): unknown {
	return LogsResponse.toObject(LogsResponse.decode(bytes), { longs: String });
}

type Wire<Scoped extends "scopeSpans" | "scopeLogs"> = Record<Scoped, WireScoped[]> & {
	resource: WireOwner | null;
	schemaUrl: string;
};

interface WireScoped {
	scope: WireScope | null;
	spans?: WireSpan[];
	logRecords?: WireLogRecord[];
	schemaUrl: string;
}

interface WireOwner {
	attributes: WireKeyValue[];
	droppedAttributesCount: number;
	entityRefs?: { schemaUrl: string; type: string; idKeys: string[]; descriptionKeys: string[] }[];
}

interface WireScope extends WireOwner {
	name: string;
	version: string;
}

interface WireKeyValue {
	key: string;
	value: WireValue | null;
}

interface WireValue {
	stringValue?: string;
	boolValue?: boolean;
	intValue?: string;
	doubleValue?: number;
	arrayValue?: { values: WireValue[] };
	kvlistValue?: { values: WireKeyValue[] };
	bytesValue?: Uint8Array;
}

interface WireSpan extends Omit<WireLink, "attributes">, WireOwner {
	parentSpanId: Uint8Array;
	name: string;
	kind: number;
	startTimeUnixNano: string;
	endTimeUnixNano: string;
	events: WireEvent[];
	droppedEventsCount: number;
	links: WireLink[];
	droppedLinksCount: number;
	status: { code: number; message: string } | null;
}

interface WireEvent extends WireOwner {
	timeUnixNano: string;
	name: string;
}

interface WireLink extends WireOwner {
	traceId: Uint8Array;
	spanId: Uint8Array;
	traceState: string;
	flags: number;
}

interface WireLogRecord extends WireOwner {
	timeUnixNano: string;
	observedTimeUnixNano: string;
	severityNumber: number;
	severityText: string;
	body: WireValue | null;
	flags: number;
	traceId: Uint8Array;
	spanId: Uint8Array;
	eventName: string;
}

function toResource(resource: WireOwner | null): Resource {
	if (resource === null) return { attributes: [], droppedAttributesCount: 0 };
	const { entityRefs = [] } = resource;
	return { ...toOwner(resource), ...(entityRefs.length > 0 && { entityRefs }) };
}

function toScope(scope: WireScope | null): Scope {
	if (scope === null) return { name: "", version: "", attributes: [], droppedAttributesCount: 0 };
	return { ...toOwner(scope), name: scope.name, version: scope.version };
}

function toOwner({ attributes, droppedAttributesCount }: WireOwner) {
	return { attributes: attributes.map(toKeyValue), droppedAttributesCount };
}

function toSpan(span: WireSpan): Span {
	return {
		...toLink(span),
		parentSpanId: hex(span.parentSpanId),
		name: span.name,
		kind: span.kind,
		startTimeUnixNano: BigInt(span.startTimeUnixNano),
		endTimeUnixNano: BigInt(span.endTimeUnixNano),
		events: span.events.map(toEvent),
		droppedEventsCount: span.droppedEventsCount,
		links: span.links.map(toLink),
		droppedLinksCount: span.droppedLinksCount,
		status: { code: span.status?.code ?? 0, message: span.status?.message ?? "" },
	};
}

function toEvent(event: WireEvent): SpanEvent {
	return { ...toOwner(event), timeUnixNano: BigInt(event.timeUnixNano), name: event.name };
}

function toLink(link: WireLink): SpanLink {
	return {
		...toOwner(link),
		traceId: hex(link.traceId),
		spanId: hex(link.spanId),
		traceState: link.traceState,
		flags: link.flags,
	};
}

function toLogRecord(record: WireLogRecord): LogRecord {
	return {
		...toOwner(record),
		timeUnixNano: BigInt(record.timeUnixNano),
		observedTimeUnixNano: BigInt(record.observedTimeUnixNano),
		severityNumber: record.severityNumber,
		severityText: record.severityText,
		body: toAnyValue(record.body),
		flags: record.flags,
		traceId: hex(record.traceId),
		spanId: hex(record.spanId),
		eventName: record.eventName,
	};
}

function toKeyValue({ key, value }: WireKeyValue): KeyValue {
	return { key, value: toAnyValue(value) };
}

function toAnyValue(value: WireValue | null): AnyValue {
	if (value?.stringValue !== undefined) return { type: "string", value: value.stringValue };
	if (value?.boolValue !== undefined) return { type: "bool", value: value.boolValue };
	if (value?.intValue !== undefined) return { type: "int", value: BigInt(value.intValue) };
	if (value?.doubleValue !== undefined) return { type: "double", value: value.doubleValue };
	if (value?.bytesValue !== undefined) return { type: "bytes", value: new Uint8Array(value.bytesValue) };
	if (value?.arrayValue !== undefined) return { type: "array", value: value.arrayValue.values.map(toAnyValue) };
	if (value?.kvlistValue !== undefined) return { type: "kvlist", value: value.kvlistValue.values.map(toKeyValue) };
	return { type: "empty" };
}

function hex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}
