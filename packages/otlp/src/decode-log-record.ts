import { createValueMerger, readKeyValue } from "./decode-value.ts";
import {
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
} from "./fields.ts";
import type { KeyValue, LogRecord } from "./model.ts";
import type { WireCursor } from "./wire-cursor.ts";

/** A record that is being read. */
type Draft = { -readonly [Field in keyof LogRecord]: LogRecord[Field] };

export function readLogRecord(cursor: WireCursor, end: number, depth: number): LogRecord {
	const attributes: KeyValue[] = [];
	const mergeBody = createValueMerger();
	const record: Draft = {
		timeUnixNano: 0n,
		observedTimeUnixNano: 0n,
		severityNumber: 0,
		severityText: "",
		body: { type: "empty" },
		attributes,
		droppedAttributesCount: 0,
		flags: 0,
		traceId: "",
		spanId: "",
		eventName: "",
	};
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case LOG_TIME:
				record.timeUnixNano = cursor.fixed64();
				break;
			case LOG_OBSERVED_TIME:
				record.observedTimeUnixNano = cursor.fixed64();
				break;
			case LOG_SEVERITY_NUMBER:
				record.severityNumber = cursor.int32();
				break;
			case LOG_SEVERITY_TEXT:
				record.severityText = cursor.string(end);
				break;
			case LOG_BODY:
				record.body = mergeBody(cursor, cursor.length(end), depth);
				break;
			case LOG_ATTRIBUTES:
				attributes.push(readKeyValue(cursor, cursor.length(end), depth));
				break;
			case LOG_DROPPED_ATTRIBUTES:
				record.droppedAttributesCount = cursor.uint32();
				break;
			case LOG_FLAGS:
				record.flags = cursor.fixed32();
				break;
			case LOG_TRACE_ID:
				record.traceId = cursor.hex(end);
				break;
			case LOG_SPAN_ID:
				record.spanId = cursor.hex(end);
				break;
			case LOG_EVENT_NAME:
				record.eventName = cursor.string(end);
				break;
			default:
				cursor.skip(tag, end, depth);
		}
	}
	cursor.finish(end);
	return record;
}
