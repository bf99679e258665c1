import {
	EVENT_ATTRIBUTES,
	EVENT_DROPPED_ATTRIBUTES,
	LINK_ATTRIBUTES,
	LINK_DROPPED_ATTRIBUTES,
	LOG_ATTRIBUTES,
	LOG_DROPPED_ATTRIBUTES,
	RESOURCE_ATTRIBUTES,
	RESOURCE_DROPPED_ATTRIBUTES,
	SCOPE_ATTRIBUTES,
	SCOPE_DROPPED_ATTRIBUTES,
	SPAN_ATTRIBUTES,
	SPAN_DROPPED_ATTRIBUTES,
	SPAN_DROPPED_EVENTS,
	SPAN_DROPPED_LINKS,
	SPAN_EVENTS,
	SPAN_LINKS,
} from "./fields.ts";
import type { SpanLimits } from "./limits.ts";
import { WireCursor } from "./wire-cursor.ts";
import { WireWriter } from "./wire-writer.ts";

/** A repeated field that is limited. */
interface Limited {
	readonly tag: number;
	/** The field that counts dropped items. */
	readonly droppedTag: number;
	/** Limits inside each item. */
	readonly inner: readonly Limited[];
	/** Items that begin with these bytes do not count. */
	readonly exempt?: Uint8Array;
}

/** The attribute that lists, as an array of strings, the attributes whose values were truncated. */
export const CUT_ATTRIBUTE = "spanward.cut";
const CUT_KEY = Buffer.concat([Buffer.of(0x0a, CUT_ATTRIBUTE.length), Buffer.from(CUT_ATTRIBUTE)]);

function attributes(tag: number, droppedTag: number): Limited {
	return { tag, droppedTag, inner: [], exempt: CUT_KEY };
}

const SPAN = [
	attributes(SPAN_ATTRIBUTES, SPAN_DROPPED_ATTRIBUTES),
	{
		tag: SPAN_EVENTS,
		droppedTag: SPAN_DROPPED_EVENTS,
		inner: [attributes(EVENT_ATTRIBUTES, EVENT_DROPPED_ATTRIBUTES)],
	},
	{ tag: SPAN_LINKS, droppedTag: SPAN_DROPPED_LINKS, inner: [attributes(LINK_ATTRIBUTES, LINK_DROPPED_ATTRIBUTES)] },
];
const RESOURCE = [attributes(RESOURCE_ATTRIBUTES, RESOURCE_DROPPED_ATTRIBUTES)];
const SCOPE = [attributes(SCOPE_ATTRIBUTES, SCOPE_DROPPED_ATTRIBUTES)];
const LOG_RECORD = [attributes(LOG_ATTRIBUTES, LOG_DROPPED_ATTRIBUTES)];

/**
 * Drops attributes, events and links beyond the limits, and adds their number to the counts of dropped ones. Works on
 * the encoded form, because decoding a million attributes only to drop them would take gigabytes. The bytes must be
 * well-formed.
 */
export const dropSurplus = {
	span: (bytes: Uint8Array, limits: SpanLimits) => drop(bytes, SPAN, limits),
	resource: (bytes: Uint8Array, limits: SpanLimits) => drop(bytes, RESOURCE, limits),
	scope: (bytes: Uint8Array, limits: SpanLimits) => drop(bytes, SCOPE, limits),
	logRecord: (bytes: Uint8Array, limits: SpanLimits) => drop(bytes, LOG_RECORD, limits),
};

function drop(bytes: Uint8Array, fields: readonly Limited[], limits: SpanLimits): Uint8Array {
	const writer = new WireWriter();
	copyMessage(new WireCursor(bytes), bytes.byteLength, fields, limits, writer);
	return writer.finish();
}

function copyMessage(
	cursor: WireCursor,
	end: number,
	fields: readonly Limited[],
	limits: SpanLimits,
	writer: WireWriter,
): void {
	const counts = fields.map((field) => ({ field, seen: 0, surplus: 0, sent: 0 }));
	while (cursor.pos < end) {
		const start = cursor.pos;
		const tag = cursor.tag();
		const items = counts.find(({ field }) => field.tag === tag);
		const count = counts.find(({ field }) => field.droppedTag === tag);
		if (items !== undefined) {
			const { field } = items;
			const stop = cursor.length(end);
			const exempt = startsWith(cursor, stop, field.exempt);
			if (!exempt) items.seen++;
			if (!exempt && items.seen > limits.attributesPerSpan) items.surplus++;
			else if (field.inner.length === 0) writer.raw(cursor.view(start, stop));
			else writer.message(tag, () => copyMessage(cursor, stop, field.inner, limits, writer));
			cursor.pos = stop;
		} else if (count !== undefined) count.sent = cursor.uint32();
		else {
			cursor.skip(tag, end, limits.depth);
			writer.raw(cursor.view(start, cursor.pos));
		}
	}
	for (const { field, surplus, sent } of counts) {
		writer.uint32Field(field.droppedTag, Math.min(sent + surplus, 0xffff_ffff));
	}
}

function startsWith({ bytes, pos }: WireCursor, end: number, beginning: Uint8Array | undefined): boolean {
	return (
		beginning !== undefined &&
		end - pos >= beginning.length &&
		bytes.compare(beginning, 0, beginning.length, pos, pos + beginning.length) === 0
	);
}
