import { cutSpan } from "./cut.ts";
import { decodeSpan } from "./decode.ts";
import { dropSurplus } from "./drop-surplus.ts";
import { encodeSpan } from "./encode.ts";
import {
	EVENT_ATTRIBUTES,
	LINK_ATTRIBUTES,
	SPAN_ATTRIBUTES,
	SPAN_END,
	SPAN_EVENTS,
	SPAN_KIND,
	SPAN_LINKS,
	SPAN_NAME,
	SPAN_PARENT_SPAN_ID,
	SPAN_SPAN_ID,
	SPAN_START,
	SPAN_STATUS,
	SPAN_TRACE_ID,
	STATUS_CODE,
	STATUS_MESSAGE,
} from "./fields.ts";
import type { KeyTable } from "./key-table.ts";
import { MOST_VALUES, type SpanLimits } from "./limits.ts";
import type { PlainValue } from "./model.ts";
import { toPlainMap } from "./plain.ts";
import { describeItem } from "./rejections.ts";
import { claimScope, type Frame, scanFrame } from "./scan-frame.ts";
import type { ScannedSpan, ScannedTraces } from "./scan-model.ts";
import { microsOf, nanosOf } from "./time.ts";
import type { Fault, WireCursor } from "./wire-cursor.ts";

export interface ScanOptions {
	readonly limits: SpanLimits;
	/** Keys of the attributes that go into `promoted`. */
	readonly keys: KeyTable;
	/** The same of resources; with {@link PROJECT_NAME}, which alone is there when absent. */
	readonly resourceKeys?: KeyTable;
}

const NOTHING_PROMOTED: ReadonlyMap<string, PlainValue> = new Map();

/**
 * Reads an `ExportTraceServiceRequest` in one pass: every byte is checked, but only ids, times, names, status and the
 * promoted attributes are decoded. A span that is malformed, too deep or without valid ids is left out and reported;
 * one beyond the limits is truncated. Views in the result share the memory of `bytes`.
 * @throws OtlpDecodeError when the structure around the spans is malformed
 */
export function scanTraceRequest(bytes: Uint8Array, { limits, keys, resourceKeys }: ScanOptions): ScannedTraces {
	const spans: ScannedSpan[] = [];
	const ids = new IdReader();
	const readItem = (frame: Frame, end: number) => {
		const span = scanSpan(frame, end, keys, ids);
		if (span !== undefined) spans.push(span);
	};
	const frame = scanFrame(bytes, limits, "ExportTraceServiceRequest", readItem, resourceKeys);
	return { spans, scopes: frame.scopes, resources: frame.resources, rejected: frame.rejections.list };
}

function scanSpan(frame: Frame, end: number, keys: KeyTable, ids: IdReader): ScannedSpan | undefined {
	const { cursor, attributes, limits } = frame;
	const start = cursor.pos;
	let traceAt = 0;
	let traceEnd = 0;
	let spanAt = 0;
	let spanEnd = 0;
	let parentAt = 0;
	let parentEnd = 0;
	let nameAt = 0;
	let nameEnd = 0;
	let kind = 0;
	let startLow = 0;
	let startHigh = 0;
	let endLow = 0;
	let endHigh = 0;
	let attributeCount = 0;
	let eventCount = 0;
	let linkCount = 0;
	let promoted: Map<string, PlainValue> | undefined;
	let status: Status | undefined;
	while (cursor.pos < end) {
		const tag = cursor.tag();
		switch (tag) {
			case SPAN_TRACE_ID:
				traceEnd = cursor.length(end);
				traceAt = cursor.pos;
				cursor.pos = traceEnd;
				break;
			case SPAN_SPAN_ID:
				spanEnd = cursor.length(end);
				spanAt = cursor.pos;
				cursor.pos = spanEnd;
				break;
			case SPAN_PARENT_SPAN_ID:
				parentEnd = cursor.length(end);
				parentAt = cursor.pos;
				cursor.pos = parentEnd;
				break;
			case SPAN_NAME:
				nameEnd = cursor.length(end);
				nameAt = cursor.pos;
				cursor.pos = nameEnd;
				break;
			case SPAN_KIND:
				kind = cursor.int32();
				break;
			case SPAN_START:
				startLow = cursor.fixed32();
				startHigh = cursor.fixed32();
				break;
			case SPAN_END:
				endLow = cursor.fixed32();
				endHigh = cursor.fixed32();
				break;
			case SPAN_ATTRIBUTES:
				if (++attributeCount <= limits.attributesPerSpan) {
					promoted ??= new Map();
					attributes.promote(cursor.length(end), keys, promoted);
				} else attributes.skip(cursor.length(end));
				break;
			case SPAN_EVENTS:
				eventCount++;
				skipAttributed(frame, cursor.length(end), EVENT_ATTRIBUTES);
				break;
			case SPAN_LINKS:
				linkCount++;
				skipAttributed(frame, cursor.length(end), LINK_ATTRIBUTES);
				break;
			case SPAN_STATUS:
				status ??= { code: 0, message: "" };
				scanStatus(cursor, cursor.length(end), limits.depth, status);
				break;
			default:
				cursor.skip(tag, end, limits.depth);
		}
	}
	if (cursor.pos !== end) return reject(frame, cursor.fault, "");
	attributes.count(Math.max(attributeCount, eventCount, linkCount));

	const name = cursor.text(nameAt, nameEnd);
	const traceId = ids.traceId(cursor.bytes, traceAt, traceEnd);
	if (traceId === "") return reject(frame, "invalid_trace_id", name);
	const spanId = ids.spanId(cursor.bytes, spanAt, spanEnd);
	if (spanId === "") return reject(frame, "invalid_span_id", name);
	const parentLength = parentEnd - parentAt;
	if (parentLength !== 0 && parentLength !== 8) return reject(frame, "invalid_parent_span_id", name);

	let view = cursor.view(start, end);
	let kept: ReadonlyMap<string, PlainValue> | undefined = promoted;
	if (attributes.surplus) view = dropSurplus.span(view, limits);
	if (attributes.oversized) {
		const span = cutSpan(decodeSpan(view, limits.depth), limits);
		view = encodeSpan(span);
		const byName = new Set(keys.names);
		kept = toPlainMap(span.attributes.filter(({ key }) => byName.has(key)));
	}
	return {
		traceId,
		spanId,
		parentSpanId: (parentLength === 8 && ids.spanId(cursor.bytes, parentAt, parentEnd)) || null,
		name,
		kind: kind >= 0 && kind <= 5 ? kind : 0,
		startMicros: microsOf(startHigh, startLow),
		startNanos: nanosOf(startHigh, startLow),
		endMicros: microsOf(endHigh, endLow),
		endNanos: nanosOf(endHigh, endLow),
		statusCode: status !== undefined && status.code >= 0 && status.code <= 2 ? status.code : 0,
		statusMessage: status?.message ?? "",
		promoted: kept ?? NOTHING_PROMOTED,
		bytes: view,
		scope: claimScope(frame),
	};
}

interface Status {
	code: number;
	message: string;
}

function scanStatus(cursor: WireCursor, end: number, depth: number, into: Status): void {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === STATUS_MESSAGE) into.message = cursor.string(end);
		else if (tag === STATUS_CODE) into.code = cursor.int32();
		else cursor.skip(tag, end, depth);
	}
	cursor.finish(end);
}

/** Skips an event or a link. */
function skipAttributed({ cursor, attributes, limits }: Frame, end: number, attributesTag: number): void {
	let count = 0;
	while (cursor.pos < end) {
		const tag = cursor.tag();
		if (tag === attributesTag) {
			count++;
			attributes.skip(cursor.length(end));
		} else cursor.skip(tag, end, limits.depth);
	}
	cursor.finish(end);
	attributes.count(count);
}

type Reason = Fault | "invalid_trace_id" | "invalid_span_id" | "invalid_parent_span_id";

function reject({ rejections, position, limits }: Frame, reason: Reason, name: string): undefined {
	rejections.add(reason, () => {
		const because = {
			malformed: "its bytes are not a well-formed Span message",
			too_deep: `its attribute values are nested more than ${limits.depth} levels deep; send flatter values`,
			too_many_values: `its arrays and maps hold more than ${MOST_VALUES} values; send fewer`,
			invalid_trace_id: "its trace id must be 16 bytes that are not all zero",
			invalid_span_id: "its span id must be 8 bytes that are not all zero",
			invalid_parent_span_id: "its parent span id must be 8 bytes, or absent for a root",
		}[reason];
		return `${describeItem("Span", position, name)} was left out: ${because}.`;
	});
}

/** Reads ids as hex. Caches the last trace id, as the spans of a trace mostly follow each other. */
class IdReader {
	readonly #last = new Uint8Array(16);
	#lastHex = "";

	/** Empty when the id is invalid. */
	traceId(bytes: Buffer, start: number, end: number): string {
		if (end - start !== 16) return "";
		const last = this.#last;
		let same = true;
		let bits = 0;
		for (let index = 0; index < 16; index++) {
			const byte = bytes[start + index] ?? 0;
			bits |= byte;
			if (last[index] !== byte) {
				same = false;
				last[index] = byte;
			}
		}
		if (!same) this.#lastHex = bits === 0 ? "" : bytes.toString("hex", start, end);
		return this.#lastHex;
	}

	/** Empty when the id is invalid. */
	spanId(bytes: Buffer, start: number, end: number): string {
		if (end - start !== 8) return "";
		for (let index = start; index < end; index++) {
			if (bytes[index] !== 0) return bytes.toString("hex", start, end);
		}
		return "";
	}
}
