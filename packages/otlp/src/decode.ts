import { readLogRecord } from "./decode-log-record.ts";
import { emptyResource, emptyScope, mergeResource, mergeScope } from "./decode-resource.ts";
import { readSpan, readSpanAttributes } from "./decode-span.ts";
import { OtlpDecodeError } from "./errors.ts";
import {
	GROUP_RESOURCE,
	GROUP_SCHEMA_URL,
	GROUP_SCOPES,
	REQUEST_GROUPS,
	SCOPED_ITEMS,
	SCOPED_SCHEMA_URL,
	SCOPED_SCOPE,
} from "./fields.ts";
import type { KeyValue, LogRecord, Resource, ResourceLogs, ResourceSpans, Scope, Span } from "./model.ts";
import { DEFAULT_DEPTH, WireCursor } from "./wire-cursor.ts";

type Read<T> = (cursor: WireCursor, end: number, depth: number) => T;

/**
 * Decodes a complete `ExportTraceServiceRequest`; unknown fields are skipped. Byte values are views of `bytes`.
 * @param depth deepest nesting of attribute values (an array or map in an attribute is 1)
 * @throws OtlpDecodeError when anything in it is malformed or too deep
 */
export function decodeTraceRequest(bytes: Uint8Array, depth = DEFAULT_DEPTH): ResourceSpans[] {
	const groups = decodeMessage("ExportTraceServiceRequest", bytes, depth, (cursor, end) =>
		readGroups(cursor, end, depth, readSpan),
	);
	return groups.map(({ resource, schemaUrl, scoped }) => ({
		resource,
		scopeSpans: scoped.map(({ scope, items, schemaUrl }) => ({ scope, spans: items, schemaUrl })),
		schemaUrl,
	}));
}

/** As `decodeTraceRequest`, for an `ExportLogsServiceRequest`. */
export function decodeLogsRequest(bytes: Uint8Array, depth = DEFAULT_DEPTH): ResourceLogs[] {
	const groups = decodeMessage("ExportLogsServiceRequest", bytes, depth, (cursor, end) =>
		readGroups(cursor, end, depth, readLogRecord),
	);
	return groups.map(({ resource, schemaUrl, scoped }) => ({
		resource,
		scopeLogs: scoped.map(({ scope, items, schemaUrl }) => ({ scope, logRecords: items, schemaUrl })),
		schemaUrl,
	}));
}

/** @throws OtlpDecodeError */
export function decodeSpan(bytes: Uint8Array, depth = DEFAULT_DEPTH): Span {
	return decodeMessage("Span", bytes, depth, readSpan);
}

/**
 * The attributes of a span whose keys begin with one of some namespaces: `llm` has `llm` and `llm.model_name`. Several
 * times as fast as decoding the whole span; what is not read is not checked either.
 * @param namespaces in UTF-8
 * @throws OtlpDecodeError
 */
export function decodeSpanAttributes(
	bytes: Uint8Array,
	namespaces: readonly Uint8Array[],
	depth = DEFAULT_DEPTH,
): KeyValue[] {
	return decodeMessage("Span", bytes, depth, (cursor, end) => readSpanAttributes(cursor, end, depth, namespaces));
}

/** @throws OtlpDecodeError */
export function decodeLogRecord(bytes: Uint8Array, depth = DEFAULT_DEPTH): LogRecord {
	return decodeMessage("LogRecord", bytes, depth, readLogRecord);
}

/** @throws OtlpDecodeError */
export function decodeResource(bytes: Uint8Array, depth = DEFAULT_DEPTH): Resource {
	return decodeMessage("Resource", bytes, depth, (cursor, end) => mergeResource(cursor, end, depth, emptyResource()));
}

/** @throws OtlpDecodeError */
export function decodeScope(bytes: Uint8Array, depth = DEFAULT_DEPTH): Scope {
	return decodeMessage("InstrumentationScope", bytes, depth, (cursor, end) =>
		mergeScope(cursor, end, depth, emptyScope()),
	);
}

function decodeMessage<T>(name: string, bytes: Uint8Array, depth: number, read: Read<T>): T {
	const cursor = new WireCursor(bytes);
	const message = read(cursor, bytes.byteLength, depth);
	if (cursor.pos === bytes.byteLength) return message;
	throw new OtlpDecodeError(
		cursor.fault === "too_deep"
			? `The ${name} is nested more than ${depth} levels deep; send flatter attribute values.`
			: `The bytes are not a well-formed ${name} message; send it in the protobuf encoding, complete.`,
	);
}

interface Group<T> {
	resource: Resource;
	schemaUrl: string;
	scoped: Scoped<T>[];
}

interface Scoped<T> {
	scope: Scope;
	schemaUrl: string;
	items: T[];
}

/** Trace and log requests have the same structure: groups by resource, within them groups by scope. */
function readGroups<T>(cursor: WireCursor, end: number, depth: number, readItem: Read<T>): Group<T>[] {
	const groups: Group<T>[] = [];
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === REQUEST_GROUPS) groups.push(readGroup(cursor, cursor.length(end), depth, readItem));
		else cursor.skip(tag, end, depth);
	}
	cursor.finish(end);
	return groups;
}

function readGroup<T>(cursor: WireCursor, end: number, depth: number, readItem: Read<T>): Group<T> {
	const resource = emptyResource();
	const group: Group<T> = { resource, schemaUrl: "", scoped: [] };
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case GROUP_RESOURCE:
				mergeResource(cursor, cursor.length(end), depth, resource);
				break;
			case GROUP_SCOPES:
				group.scoped.push(readScoped(cursor, cursor.length(end), depth, readItem));
				break;
			case GROUP_SCHEMA_URL:
				group.schemaUrl = cursor.string(end);
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return group;
}

function readScoped<T>(cursor: WireCursor, end: number, depth: number, readItem: Read<T>): Scoped<T> {
	const scope = emptyScope();
	const scoped: Scoped<T> = { scope, schemaUrl: "", items: [] };
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SCOPED_SCOPE:
				mergeScope(cursor, cursor.length(end), depth, scope);
				break;
			case SCOPED_ITEMS:
				scoped.items.push(readItem(cursor, cursor.length(end), depth));
				break;
			case SCOPED_SCHEMA_URL:
				scoped.schemaUrl = cursor.string(end);
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return scoped;
}
