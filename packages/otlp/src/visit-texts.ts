import {
	EVENT_ATTRIBUTES,
	EVENT_NAME,
	KEY_VALUE_VALUE,
	LINK_ATTRIBUTES,
	LIST_VALUES,
	LOG_ATTRIBUTES,
	LOG_BODY,
	LOG_EVENT_NAME,
	SPAN_ATTRIBUTES,
	SPAN_EVENTS,
	SPAN_LINKS,
	SPAN_NAME,
	SPAN_STATUS,
	STATUS_MESSAGE,
	VALUE_ARRAY,
	VALUE_KVLIST,
	VALUE_STRING,
} from "./fields.ts";
import { WireCursor } from "./wire-cursor.ts";

/** Deepest nesting of messages that is visited: three messages are one level of nested values. */
const DEEPEST = 1_000;

/** Called with each text of a message: its UTF-8 as it was sent, from `start` to before `end` in `bytes`. */
export type VisitText = (bytes: Uint8Array, start: number, end: number) => void;

/** The fields of a message, by tag, that are texts or hold some. */
type Shape = (Shape | "text" | undefined)[];

function shape(...fields: readonly (readonly [tag: number, field: Shape | "text"])[]): Shape {
	const byTag: Shape = new Array(128).fill(undefined);
	for (const [tag, field] of fields) byTag[tag] = field;
	return byTag;
}

const VALUE = shape([VALUE_STRING, "text"]);
const KEY_VALUE = shape([KEY_VALUE_VALUE, VALUE]);
VALUE[VALUE_ARRAY] = shape([LIST_VALUES, VALUE]);
VALUE[VALUE_KVLIST] = shape([LIST_VALUES, KEY_VALUE]);

const SPAN = shape(
	[SPAN_NAME, "text"],
	[SPAN_ATTRIBUTES, KEY_VALUE],
	[SPAN_EVENTS, shape([EVENT_NAME, "text"], [EVENT_ATTRIBUTES, KEY_VALUE])],
	[SPAN_LINKS, shape([LINK_ATTRIBUTES, KEY_VALUE])],
	[SPAN_STATUS, shape([STATUS_MESSAGE, "text"])],
);
const LOG_RECORD = shape([LOG_EVENT_NAME, "text"], [LOG_BODY, VALUE], [LOG_ATTRIBUTES, KEY_VALUE]);

/**
 * Visits the texts of a `Span` message without decoding it: its name, status message, names of events, and every text
 * among values of attributes, at any depth. Of fields that come more than once it visits all, of malformed messages
 * what stands before the fault.
 */
export function visitSpanTexts(span: Uint8Array, visit: VisitText): void {
	walk(new WireCursor(span), span.length, SPAN, DEEPEST, visit);
}

/** As {@link visitSpanTexts}, of a `LogRecord` message: its event name, and every text in body and attributes. */
export function visitLogRecordTexts(record: Uint8Array, visit: VisitText): void {
	walk(new WireCursor(record), record.length, LOG_RECORD, DEEPEST, visit);
}

function walk(cursor: WireCursor, end: number, fields: Shape, depth: number, visit: VisitText): void {
	while (cursor.pos < end) {
		const tag = cursor.tag();
		const field = fields[tag];
		if (field === undefined) cursor.skip(tag, end, depth);
		else {
			const stop = cursor.length(end);
			if (field !== "text") {
				if (depth > 0) walk(cursor, stop, field, depth - 1, visit);
				else cursor.pos = stop;
			} else {
				if (stop <= end) visit(cursor.bytes, cursor.pos, stop);
				cursor.pos = stop;
			}
		}
	}
}
