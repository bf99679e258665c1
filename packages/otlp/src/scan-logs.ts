import { cutLogRecord } from "./cut.ts";
import { decodeLogRecord } from "./decode.ts";
import { dropSurplus } from "./drop-surplus.ts";
import { encodeLogRecord } from "./encode.ts";
import {
	LOG_ATTRIBUTES,
	LOG_BODY,
	LOG_EVENT_NAME,
	LOG_OBSERVED_TIME,
	LOG_SPAN_ID,
	LOG_TIME,
	LOG_TRACE_ID,
} from "./fields.ts";
import { createKeyTable } from "./key-table.ts";
import { MOST_VALUES, type SpanLimits } from "./limits.ts";
import type { PlainValue } from "./model.ts";
import { claimResource, claimScope, type Frame, scanFrame } from "./scan-frame.ts";
import type { ScannedLogEvent, ScannedLogRecord, ScannedLogs } from "./scan-model.ts";
import { microsOf, nanosOf } from "./time.ts";

/** Events had their name in this attribute before `LogRecord.event_name`. */
const EVENT_NAME = "event.name";
const EVENT_KEYS = createKeyTable([EVENT_NAME]);
/** Of a body that may be the name of an event. */
const MOST_NAME_BYTES = 100;
const ZERO_TRACE_ID = "0".repeat(32);
const ZERO_SPAN_ID = "0".repeat(16);

interface LogsScanOptions {
	readonly limits: SpanLimits;
	/**
	 * Whether a record of this name is to be kept as an event of its own. The name is in the attribute `event.name`, the
	 * field or, as some senders have it, the body.
	 */
	readonly isEvent?: (name: string) => boolean;
}

/**
 * Reads an `ExportLogsServiceRequest` in one pass and keeps the GenAI events of spans, and events of their own. Every
 * other well-formed record is counted as ignored, as are those with invalid ids, which belong to no span (`logs.proto`).
 * @throws OtlpDecodeError when the structure around the records is malformed
 */
export function scanLogsRequest(bytes: Uint8Array, { limits, isEvent }: LogsScanOptions): ScannedLogs {
	const records: ScannedLogRecord[] = [];
	const events: ScannedLogEvent[] = [];
	let ignored = 0;
	const frame = scanFrame(bytes, limits, "ExportLogsServiceRequest", (frame, end) => {
		const record = scanLogRecord(frame, end, isEvent);
		if (record === undefined) {
			if (frame.cursor.pos === end) ignored++;
		} else if ("traceId" in record) records.push(record);
		else events.push(record);
	});
	const { resources, scopes } = frame;
	return { records, events, scopes, resources, ignored, rejected: frame.rejections.list };
}

/** Undefined when it was rejected (the cursor is then beyond `end`) or is not needed. */
function scanLogRecord(
	frame: Frame,
	end: number,
	isEvent: LogsScanOptions["isEvent"],
): ScannedLogRecord | ScannedLogEvent | undefined {
	const { cursor, attributes, limits } = frame;
	const start = cursor.pos;
	let traceId = "";
	let spanId = "";
	let eventName = "";
	let low = 0;
	let high = 0;
	let observedLow = 0;
	let observedHigh = 0;
	let attributeCount = 0;
	let bodyStart = 0;
	let bodyEnd = 0;
	const promoted = new Map<string, PlainValue>();
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case LOG_TIME:
				low = cursor.fixed32();
				high = cursor.fixed32();
				break;
			case LOG_OBSERVED_TIME:
				observedLow = cursor.fixed32();
				observedHigh = cursor.fixed32();
				break;
			case LOG_TRACE_ID:
				traceId = cursor.hex(end);
				break;
			case LOG_SPAN_ID:
				spanId = cursor.hex(end);
				break;
			case LOG_EVENT_NAME:
				eventName = cursor.string(end);
				break;
			case LOG_BODY:
				bodyEnd = cursor.length(end);
				bodyStart = cursor.pos;
				attributes.skipValue(bodyEnd);
				break;
			case LOG_ATTRIBUTES:
				attributeCount++;
				attributes.promote(cursor.length(end), EVENT_KEYS, promoted);
				break;
			default:
				cursor.skip(tag, end, limits.depth);
		}
	}
	if (cursor.pos !== end) {
		reject(frame);
		return undefined;
	}
	attributes.count(attributeCount);
	const sentName = promoted.get(EVENT_NAME);
	const attributeName = typeof sentName === "string" ? sentName : "";
	const view = () => {
		let bytes = cursor.view(start, end);
		if (attributes.surplus) bytes = dropSurplus.logRecord(bytes, limits);
		if (attributes.oversized) bytes = encodeLogRecord(cutLogRecord(decodeLogRecord(bytes, limits.depth), limits));
		return bytes;
	};
	if (isEvent !== undefined) {
		const body = attributes.shortText(bodyStart, bodyEnd, MOST_NAME_BYTES);
		const ownName = [attributeName, eventName, body].find((name) => name !== "" && isEvent(name));
		if (ownName !== undefined) return { eventName: ownName, bytes: view(), scope: claimScope(frame) };
	}
	if (traceId.length !== 32 || traceId === ZERO_TRACE_ID || spanId.length !== 16 || spanId === ZERO_SPAN_ID) {
		return undefined;
	}
	const name = eventName || attributeName;
	if (!name.startsWith("gen_ai.")) return undefined;
	const timed = low !== 0 || high !== 0;
	return {
		traceId,
		spanId,
		timeMicros: timed ? microsOf(high, low) : microsOf(observedHigh, observedLow),
		timeNanos: timed ? nanosOf(high, low) : nanosOf(observedHigh, observedLow),
		eventName: name,
		bytes: view(),
		resource: claimResource(frame),
	};
}

function reject({ cursor, rejections, position, limits }: Frame): void {
	const { fault } = cursor;
	rejections.add(fault, () => {
		const because = {
			malformed: "its bytes are not a well-formed LogRecord message",
			too_deep: `its values are nested more than ${limits.depth} levels deep; send flatter values`,
			too_many_values: `its arrays and maps hold more than ${MOST_VALUES} values; send fewer`,
		}[fault];
		return `Log record ${position} was left out: ${because}.`;
	});
}
