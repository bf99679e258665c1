import { readKeyValue } from "./decode-value.ts";
import {
	EVENT_ATTRIBUTES,
	EVENT_DROPPED_ATTRIBUTES,
	EVENT_NAME,
	EVENT_TIME,
	KEY_VALUE_KEY,
	LINK_ATTRIBUTES,
	LINK_DROPPED_ATTRIBUTES,
	LINK_FLAGS,
	LINK_SPAN_ID,
	LINK_TRACE_ID,
	LINK_TRACE_STATE,
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
} from "./fields.ts";
import type { KeyValue, Span, SpanEvent, SpanLink } from "./model.ts";
import { FAILED, type WireCursor } from "./wire-cursor.ts";

export function readSpan(cursor: WireCursor, end: number, depth: number): Span {
	const attributes: KeyValue[] = [];
	const events: SpanEvent[] = [];
	const links: SpanLink[] = [];
	const status = { code: 0, message: "" };
	const span = {
		traceId: "",
		spanId: "",
		parentSpanId: "",
		traceState: "",
		flags: 0,
		name: "",
		kind: 0,
		startTimeUnixNano: 0n,
		endTimeUnixNano: 0n,
		attributes,
		droppedAttributesCount: 0,
		events,
		droppedEventsCount: 0,
		links,
		droppedLinksCount: 0,
		status,
	};
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SPAN_TRACE_ID:
				span.traceId = cursor.hex(end);
				break;
			case SPAN_SPAN_ID:
				span.spanId = cursor.hex(end);
				break;
			case SPAN_TRACE_STATE:
				span.traceState = cursor.string(end);
				break;
			case SPAN_PARENT_SPAN_ID:
				span.parentSpanId = cursor.hex(end);
				break;
			case SPAN_NAME:
				span.name = cursor.string(end);
				break;
			case SPAN_KIND:
				span.kind = cursor.int32();
				break;
			case SPAN_START:
				span.startTimeUnixNano = cursor.fixed64();
				break;
			case SPAN_END:
				span.endTimeUnixNano = cursor.fixed64();
				break;
			case SPAN_ATTRIBUTES:
				attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case SPAN_DROPPED_ATTRIBUTES:
				span.droppedAttributesCount = cursor.uint32();
				break;
			case SPAN_EVENTS:
				events.push(readEvent(cursor, cursor.length(end), depth));
				break;
			case SPAN_DROPPED_EVENTS:
				span.droppedEventsCount = cursor.uint32();
				break;
			case SPAN_LINKS:
				links.push(readLink(cursor, cursor.length(end), depth));
				break;
			case SPAN_DROPPED_LINKS:
				span.droppedLinksCount = cursor.uint32();
				break;
			case SPAN_STATUS:
				mergeStatus(cursor, cursor.length(end), depth, status);
				break;
			case SPAN_FLAGS:
				span.flags = cursor.fixed32();
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return span;
}

/**
 * Reads the attributes of a span whose keys begin with one of some namespaces, as whole segments, and passes over
 * everything else.
 */
export function readSpanAttributes(
	cursor: WireCursor,
	end: number,
	depth: number,
	namespaces: readonly Uint8Array[],
): KeyValue[] {
	const attributes: KeyValue[] = [];
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag !== SPAN_ATTRIBUTES) {
			cursor.skip(tag, end, depth);
			continue;
		}
		const stop = cursor.length(end);
		if (mayBeIn(cursor, stop, namespaces)) attributes.push(readKeyValue(cursor, stop, depth));
		else cursor.pos = stop;
	}
	cursor.finish(end);
	return attributes;
}

/** Whether a key that stands first in its message, as all writers have it, is in a namespace; true for any other. */
function mayBeIn(cursor: WireCursor, stop: number, namespaces: readonly Uint8Array[]): boolean {
	const { pos } = cursor;
	if (cursor.tag() !== KEY_VALUE_KEY) {
		cursor.pos = pos;
		return true;
	}
	const end = cursor.length(stop);
	const start = cursor.pos;
	if (start === FAILED) return false;
	cursor.pos = pos;
	return namespaces.some((namespace) => beginsWith(cursor.bytes, start, end, namespace));
}

const DOT = 0x2e;

function beginsWith(bytes: Uint8Array, start: number, end: number, namespace: Uint8Array): boolean {
	const { length } = namespace;
	if (end - start < length || (end - start > length && bytes[start + length] !== DOT)) return false;
	for (let at = 0; at < length; at += 1) if (bytes[start + at] !== namespace[at]) return false;
	return true;
}

function mergeStatus(cursor: WireCursor, end: number, depth: number, into: { code: number; message: string }): void {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === STATUS_MESSAGE) into.message = cursor.string(end);
		else if (tag === STATUS_CODE) into.code = cursor.int32();
		else cursor.skip(tag, end, depth);
	}
	cursor.finish(end);
}

function readEvent(cursor: WireCursor, end: number, depth: number): SpanEvent {
	const attributes: KeyValue[] = [];
	const event = { timeUnixNano: 0n, name: "", attributes, droppedAttributesCount: 0 };
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case EVENT_TIME:
				event.timeUnixNano = cursor.fixed64();
				break;
			case EVENT_NAME:
				event.name = cursor.string(end);
				break;
			case EVENT_ATTRIBUTES:
				attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case EVENT_DROPPED_ATTRIBUTES:
				event.droppedAttributesCount = cursor.uint32();
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return event;
}

function readLink(cursor: WireCursor, end: number, depth: number): SpanLink {
	const attributes: KeyValue[] = [];
	const link = { traceId: "", spanId: "", traceState: "", attributes, droppedAttributesCount: 0, flags: 0 };
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case LINK_TRACE_ID:
				link.traceId = cursor.hex(end);
				break;
			case LINK_SPAN_ID:
				link.spanId = cursor.hex(end);
				break;
			case LINK_TRACE_STATE:
				link.traceState = cursor.string(end);
				break;
			case LINK_ATTRIBUTES:
				attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case LINK_DROPPED_ATTRIBUTES:
				link.droppedAttributesCount = cursor.uint32();
				break;
			case LINK_FLAGS:
				link.flags = cursor.fixed32();
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return link;
}
