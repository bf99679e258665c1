/**
 * Tags (field number × 8 + wire type) of the OTLP messages, written as they stand on the wire. A known field number
 * with another wire type is an unknown field, as in the official decoders, so a tag is all a reader has to compare.
 * Source: opentelemetry-proto v1.9, in `../proto`.
 */

/** Length-delimited: string, bytes, message. */
const bytes = (field: number): number => field * 8 + 2;
const varint = (field: number): number => field * 8;
const fixed64 = (field: number): number => field * 8 + 1;
const fixed32 = (field: number): number => field * 8 + 5;

/** `ExportTraceServiceRequest`, `ExportLogsServiceRequest` */
export const REQUEST_GROUPS = bytes(1);

/** `ResourceSpans`, `ResourceLogs` */
export const GROUP_RESOURCE = bytes(1);
export const GROUP_SCOPES = bytes(2);
export const GROUP_SCHEMA_URL = bytes(3);

/** `ScopeSpans`, `ScopeLogs` */
export const SCOPED_SCOPE = bytes(1);
export const SCOPED_ITEMS = bytes(2);
export const SCOPED_SCHEMA_URL = bytes(3);

export const RESOURCE_ATTRIBUTES = bytes(1);
export const RESOURCE_DROPPED_ATTRIBUTES = varint(2);
export const RESOURCE_ENTITY_REFS = bytes(3);

export const ENTITY_SCHEMA_URL = bytes(1);
export const ENTITY_TYPE = bytes(2);
export const ENTITY_ID_KEYS = bytes(3);
export const ENTITY_DESCRIPTION_KEYS = bytes(4);

export const SCOPE_NAME = bytes(1);
export const SCOPE_VERSION = bytes(2);
export const SCOPE_ATTRIBUTES = bytes(3);
export const SCOPE_DROPPED_ATTRIBUTES = varint(4);

export const KEY_VALUE_KEY = bytes(1);
export const KEY_VALUE_VALUE = bytes(2);

export const VALUE_STRING = bytes(1);
export const VALUE_BOOL = varint(2);
export const VALUE_INT = varint(3);
export const VALUE_DOUBLE = fixed64(4);
export const VALUE_ARRAY = bytes(5);
export const VALUE_KVLIST = bytes(6);
export const VALUE_BYTES = bytes(7);
/** `ArrayValue.values`, `KeyValueList.values` */
export const LIST_VALUES = bytes(1);

export const SPAN_TRACE_ID = bytes(1);
export const SPAN_SPAN_ID = bytes(2);
export const SPAN_TRACE_STATE = bytes(3);
export const SPAN_PARENT_SPAN_ID = bytes(4);
export const SPAN_NAME = bytes(5);
export const SPAN_KIND = varint(6);
export const SPAN_START = fixed64(7);
export const SPAN_END = fixed64(8);
export const SPAN_ATTRIBUTES = bytes(9);
export const SPAN_DROPPED_ATTRIBUTES = varint(10);
export const SPAN_EVENTS = bytes(11);
export const SPAN_DROPPED_EVENTS = varint(12);
export const SPAN_LINKS = bytes(13);
export const SPAN_DROPPED_LINKS = varint(14);
export const SPAN_STATUS = bytes(15);
export const SPAN_FLAGS = fixed32(16);

export const STATUS_MESSAGE = bytes(2);
export const STATUS_CODE = varint(3);

export const EVENT_TIME = fixed64(1);
export const EVENT_NAME = bytes(2);
export const EVENT_ATTRIBUTES = bytes(3);
export const EVENT_DROPPED_ATTRIBUTES = varint(4);

export const LINK_TRACE_ID = bytes(1);
export const LINK_SPAN_ID = bytes(2);
export const LINK_TRACE_STATE = bytes(3);
export const LINK_ATTRIBUTES = bytes(4);
export const LINK_DROPPED_ATTRIBUTES = varint(5);
export const LINK_FLAGS = fixed32(6);

export const LOG_TIME = fixed64(1);
export const LOG_SEVERITY_NUMBER = varint(2);
export const LOG_SEVERITY_TEXT = bytes(3);
export const LOG_BODY = bytes(5);
export const LOG_ATTRIBUTES = bytes(6);
export const LOG_DROPPED_ATTRIBUTES = varint(7);
export const LOG_FLAGS = fixed32(8);
export const LOG_TRACE_ID = bytes(9);
export const LOG_SPAN_ID = bytes(10);
export const LOG_OBSERVED_TIME = fixed64(11);
export const LOG_EVENT_NAME = bytes(12);
