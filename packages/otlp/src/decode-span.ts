import { readKeyValue } from "./decode-value.ts";
import {
	EVENT_ATTRIBUTES,
	EVENT_DROPPED_ATTRIBUTES,
	EVENT_NAME,
	EVENT_TIME,
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
import type { WireCursor } from "./wire-cursor.ts";

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
