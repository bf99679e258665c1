import {
	ENTITY_DESCRIPTION_KEYS,
	ENTITY_ID_KEYS,
	ENTITY_SCHEMA_URL,
	ENTITY_TYPE,
	EVENT_ATTRIBUTES,
	EVENT_DROPPED_ATTRIBUTES,
	EVENT_NAME,
	EVENT_TIME,
	GROUP_RESOURCE,
	GROUP_SCHEMA_URL,
	GROUP_SCOPES,
	KEY_VALUE_KEY,
	KEY_VALUE_VALUE,
	LINK_ATTRIBUTES,
	LINK_DROPPED_ATTRIBUTES,
	LINK_FLAGS,
	LINK_SPAN_ID,
	LINK_TRACE_ID,
	LINK_TRACE_STATE,
	LIST_VALUES,
	LOG_ATTRIBUTES,
	LOG_BODY,
	LOG_DROPPED_ATTRIBUTES,
	LOG_EVENT_NAME,
	LOG_FLAGS,
	LOG_OBSERVED_TIME,
	LOG_SEVERITY_NUMBER,
	LOG_SEVERITY_TEXT,
	LOG_SPAN_ID,
	LOG_TIME,
	LOG_TRACE_ID,
	REQUEST_GROUPS,
	RESOURCE_ATTRIBUTES,
	RESOURCE_DROPPED_ATTRIBUTES,
	RESOURCE_ENTITY_REFS,
	SCOPE_ATTRIBUTES,
	SCOPE_DROPPED_ATTRIBUTES,
	SCOPE_NAME,
	SCOPE_VERSION,
	SCOPED_ITEMS,
	SCOPED_SCHEMA_URL,
	SCOPED_SCOPE,
	SPAN_ATTRIBUTES,
	SPAN_DROPPED_ATTRIBUTES,
	SPAN_DROPPED_EVENTS,
	SPAN_DROPPED_LINKS,
	SPAN_END,
	SPAN_EVENTS,
	SPAN_FLAGS,
	SPAN_KIND,
	SPAN_LINKS,
	SPAN_NAME,
	SPAN_PARENT_SPAN_ID,
	SPAN_SPAN_ID,
	SPAN_START,
	SPAN_STATUS,
	SPAN_TRACE_ID,
	SPAN_TRACE_STATE,
	STATUS_CODE,
	STATUS_MESSAGE,
	VALUE_ARRAY,
	VALUE_BOOL,
	VALUE_BYTES,
	VALUE_DOUBLE,
	VALUE_INT,
	VALUE_KVLIST,
	VALUE_STRING,
} from "./fields.ts";
import type {
	AnyValue,
	EntityRef,
	KeyValue,
	LogRecord,
	Resource,
	ResourceLogs,
	ResourceSpans,
	Scope,
	Span,
	SpanEvent,
	SpanLink,
} from "./model.ts";
import { WireWriter } from "./wire-writer.ts";

/** Writes an `ExportTraceServiceRequest`; ids must be pairs of hex digits. */
export function encodeTraceRequest(resourceSpans: readonly ResourceSpans[]): Uint8Array {
	return encode(resourceSpans, (writer) => {
		for (const { resource, scopeSpans, schemaUrl } of resourceSpans) {
			const scoped = scopeSpans.map(({ scope, spans, schemaUrl }) => ({ scope, items: spans, schemaUrl }));
			writeGroup(writer, resource, scoped, schemaUrl, writeSpan);
		}
	});
}

/** Writes an `ExportLogsServiceRequest`. */
export function encodeLogsRequest(resourceLogs: readonly ResourceLogs[]): Uint8Array {
	return encode(resourceLogs, (writer) => {
		for (const { resource, scopeLogs, schemaUrl } of resourceLogs) {
			const scoped = scopeLogs.map(({ scope, logRecords, schemaUrl }) => ({ scope, items: logRecords, schemaUrl }));
			writeGroup(writer, resource, scoped, schemaUrl, writeLogRecord);
		}
	});
}

/** Writes a `Span` message. */
export function encodeSpan(span: Span): Uint8Array {
	return encode(span, writeSpan);
}

/** Writes a `LogRecord` message. */
export function encodeLogRecord(record: LogRecord): Uint8Array {
	return encode(record, writeLogRecord);
}

/** Writes a `Resource` message. */
export function encodeResource(resource: Resource): Uint8Array {
	return encode(resource, writeResource);
}

/** Writes an `InstrumentationScope` message. */
export function encodeScope(scope: Scope): Uint8Array {
	return encode(scope, writeScope);
}

function encode<T>(message: T, write: (writer: WireWriter, message: T) => void): Uint8Array {
	const writer = new WireWriter();
	write(writer, message);
	return writer.finish();
}

function writeGroup<T>(
	writer: WireWriter,
	resource: Resource,
	scoped: readonly { scope: Scope; items: readonly T[]; schemaUrl: string }[],
	schemaUrl: string,
	writeItem: (writer: WireWriter, item: T) => void,
): void {
	writer.message(REQUEST_GROUPS, () => {
		writer.message(GROUP_RESOURCE, () => writeResource(writer, resource));
		for (const { scope, items, schemaUrl } of scoped) {
			writer.message(GROUP_SCOPES, () => {
				writer.message(SCOPED_SCOPE, () => writeScope(writer, scope));
				for (const item of items) writer.message(SCOPED_ITEMS, () => writeItem(writer, item));
				writer.stringField(SCOPED_SCHEMA_URL, schemaUrl);
			});
		}
		writer.stringField(GROUP_SCHEMA_URL, schemaUrl);
	});
}

function writeResource(writer: WireWriter, resource: Resource): void {
	writeAttributes(writer, RESOURCE_ATTRIBUTES, resource.attributes);
	writer.uint32Field(RESOURCE_DROPPED_ATTRIBUTES, resource.droppedAttributesCount);
	for (const ref of resource.entityRefs ?? []) {
		writer.message(RESOURCE_ENTITY_REFS, () => writeEntityRef(writer, ref));
	}
}

function writeEntityRef(writer: WireWriter, ref: EntityRef): void {
	writer.stringField(ENTITY_SCHEMA_URL, ref.schemaUrl);
	writer.stringField(ENTITY_TYPE, ref.type);
	for (const key of ref.idKeys) writer.string(ENTITY_ID_KEYS, key);
	for (const key of ref.descriptionKeys) writer.string(ENTITY_DESCRIPTION_KEYS, key);
}

function writeScope(writer: WireWriter, scope: Scope): void {
	writer.stringField(SCOPE_NAME, scope.name);
	writer.stringField(SCOPE_VERSION, scope.version);
	writeAttributes(writer, SCOPE_ATTRIBUTES, scope.attributes);
	writer.uint32Field(SCOPE_DROPPED_ATTRIBUTES, scope.droppedAttributesCount);
}

function writeSpan(writer: WireWriter, span: Span): void {
	writer.hexField(SPAN_TRACE_ID, span.traceId);
	writer.hexField(SPAN_SPAN_ID, span.spanId);
	writer.stringField(SPAN_TRACE_STATE, span.traceState);
	writer.hexField(SPAN_PARENT_SPAN_ID, span.parentSpanId);
	writer.stringField(SPAN_NAME, span.name);
	writer.int32Field(SPAN_KIND, span.kind);
	writer.fixed64Field(SPAN_START, span.startTimeUnixNano);
	writer.fixed64Field(SPAN_END, span.endTimeUnixNano);
	writeAttributes(writer, SPAN_ATTRIBUTES, span.attributes);
	writer.uint32Field(SPAN_DROPPED_ATTRIBUTES, span.droppedAttributesCount);
	for (const event of span.events) writer.message(SPAN_EVENTS, () => writeEvent(writer, event));
	writer.uint32Field(SPAN_DROPPED_EVENTS, span.droppedEventsCount);
	for (const link of span.links) writer.message(SPAN_LINKS, () => writeLink(writer, link));
	writer.uint32Field(SPAN_DROPPED_LINKS, span.droppedLinksCount);
	const { code, message } = span.status;
	if (code !== 0 || message !== "") {
		writer.message(SPAN_STATUS, () => {
			writer.stringField(STATUS_MESSAGE, message);
			writer.int32Field(STATUS_CODE, code);
		});
	}
	writer.fixed32Field(SPAN_FLAGS, span.flags);
}

function writeEvent(writer: WireWriter, event: SpanEvent): void {
	writer.fixed64Field(EVENT_TIME, event.timeUnixNano);
	writer.stringField(EVENT_NAME, event.name);
	writeAttributes(writer, EVENT_ATTRIBUTES, event.attributes);
	writer.uint32Field(EVENT_DROPPED_ATTRIBUTES, event.droppedAttributesCount);
}

function writeLink(writer: WireWriter, link: SpanLink): void {
	writer.hexField(LINK_TRACE_ID, link.traceId);
	writer.hexField(LINK_SPAN_ID, link.spanId);
	writer.stringField(LINK_TRACE_STATE, link.traceState);
	writeAttributes(writer, LINK_ATTRIBUTES, link.attributes);
	writer.uint32Field(LINK_DROPPED_ATTRIBUTES, link.droppedAttributesCount);
	writer.fixed32Field(LINK_FLAGS, link.flags);
}

function writeLogRecord(writer: WireWriter, record: LogRecord): void {
	writer.fixed64Field(LOG_TIME, record.timeUnixNano);
	writer.int32Field(LOG_SEVERITY_NUMBER, record.severityNumber);
	writer.stringField(LOG_SEVERITY_TEXT, record.severityText);
	if (record.body.type !== "empty") writer.message(LOG_BODY, () => writeAnyValue(writer, record.body));
	writeAttributes(writer, LOG_ATTRIBUTES, record.attributes);
	writer.uint32Field(LOG_DROPPED_ATTRIBUTES, record.droppedAttributesCount);
	writer.fixed32Field(LOG_FLAGS, record.flags);
	writer.hexField(LOG_TRACE_ID, record.traceId);
	writer.hexField(LOG_SPAN_ID, record.spanId);
	writer.fixed64Field(LOG_OBSERVED_TIME, record.observedTimeUnixNano);
	writer.stringField(LOG_EVENT_NAME, record.eventName);
}

function writeAttributes(writer: WireWriter, tag: number, attributes: readonly KeyValue[]): void {
	for (const attribute of attributes) writer.message(tag, () => writeKeyValue(writer, attribute));
}

function writeKeyValue(writer: WireWriter, { key, value }: KeyValue): void {
	writer.stringField(KEY_VALUE_KEY, key);
	writer.message(KEY_VALUE_VALUE, () => writeAnyValue(writer, value));
}

function writeAnyValue(writer: WireWriter, value: AnyValue): void {
	switch (value.type) {
		case "empty":
			break;
		case "string":
			writer.string(VALUE_STRING, value.value);
			break;
		case "bool":
			writer.varint(VALUE_BOOL);
			writer.varint(value.value ? 1 : 0);
			break;
		case "int":
			writer.varint(VALUE_INT);
			writer.varint64(value.value);
			break;
		case "double":
			writer.double(VALUE_DOUBLE, value.value);
			break;
		case "bytes":
			writer.bytes(VALUE_BYTES, value.value);
			break;
		case "array": {
			const items = value.value;
			writer.message(VALUE_ARRAY, () => {
				for (const item of items) writer.message(LIST_VALUES, () => writeAnyValue(writer, item));
			});
			break;
		}
		case "kvlist": {
			const entries = value.value;
			writer.message(VALUE_KVLIST, () => writeAttributes(writer, LIST_VALUES, entries));
			break;
		}
	}
}
