import { setImmediate as nextTurn } from "node:timers/promises";
import { encodeTraceRequest, fromPlain, type KeyValue, type PlainValue, type Span } from "@spanward/otlp";
import { ValidationError } from "#base/errors.ts";
import type { ParsedTime } from "#http/wire-times.ts";
import { JSON_KEY, KIND_KEY } from "#storage/traces/openinference-keys.ts";
import { type SentId, storedSpanId, storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import type { NewSpan } from "./create-schemas.ts";
import { statusNumber } from "./narrow-views.ts";

/**
 * Characters of dotted keys: each key repeats the names of its parents, so that a few megabytes could become terabytes.
 * The limit per request is 64 characters for each of the million values that a body may have.
 */
const MAX_KEYS_OF_SPAN = 16_777_216;
const MAX_KEYS_OF_REQUEST = 67_108_864;
const KEYS_TOO_LONG = {
	type: "value_error",
	loc: ["body", "data"],
	msg: `Value error, the dotted keys of the attributes are longer than ${MAX_KEYS_OF_SPAN} characters in a span, or ${MAX_KEYS_OF_REQUEST} in all`,
};

/** Spans that are encoded at a time. */
const SPANS_PER_PIECE = 100;

/** Remaining characters of dotted keys. */
interface Room {
	ofSpan: number;
	ofRequest: number;
}

/**
 * An `ExportTraceServiceRequest` in protobuf with these spans, their attributes flattened to dotted keys.
 * @throws ValidationError when the dotted keys are too long
 */
export function encodeNewSpans(spans: readonly NewSpan[]): Uint8Array<ArrayBuffer> {
	return joined([...encodePieces(spans)]);
}

/**
 * As {@link encodeNewSpans}, but other requests get a turn of the event loop after some spans: many with much in them take
 * a second.
 */
export async function encodeNewSpansInTurns(spans: readonly NewSpan[]): Promise<Uint8Array<ArrayBuffer>> {
	const pieces: Uint8Array[] = [];
	for (const piece of encodePieces(spans)) {
		pieces.push(piece);
		await nextTurn();
	}
	return joined(pieces);
}

/** Requests that are one when they stand one after the other, as messages of protobuf are merged. */
function* encodePieces(spans: readonly NewSpan[]): Generator<Uint8Array> {
	const room = { ofSpan: 0, ofRequest: MAX_KEYS_OF_REQUEST };
	for (let at = 0; at < spans.length; at += SPANS_PER_PIECE) {
		yield encodeTraceRequest([
			{
				resource: { attributes: [], droppedAttributesCount: 0 },
				scopeSpans: [
					{
						scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0 },
						spans: spans.slice(at, at + SPANS_PER_PIECE).map((span) => toOtlp(span, room)),
						schemaUrl: "",
					},
				],
				schemaUrl: "",
			},
		]);
	}
}

/** In a buffer of its own. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
	let at = 0;
	for (const piece of pieces) {
		whole.set(piece, at);
		at += piece.length;
	}
	return whole;
}

/** The ids of these spans that are not OpenTelemetry's. */
export function sentIdsOf(spans: readonly NewSpan[]): SentId[] {
	const found = new Map<string, SentId>();
	for (const { context, parent_id } of spans) {
		const traceId = storedTraceId(context.trace_id);
		const add = (id: string, text: string) => {
			if (id !== text.toLowerCase()) found.set(`${traceId} ${id}`, { traceId, id, text });
		};
		add(traceId, context.trace_id);
		for (const text of [context.span_id, parent_id]) if (text) add(storedSpanId(text), text);
	}
	return [...found.values()];
}

function toOtlp(span: NewSpan, room: Room): Span {
	room.ofSpan = MAX_KEYS_OF_SPAN;
	const attributes = toKeyValues(span.attributes ?? {}, room);
	if (!attributes.some(({ key }) => key === KIND_KEY)) {
		attributes.push({ key: KIND_KEY, value: { type: "string", value: span.span_kind } });
	}
	return {
		traceId: storedTraceId(span.context.trace_id),
		spanId: storedSpanId(span.context.span_id),
		parentSpanId: span.parent_id ? storedSpanId(span.parent_id) : "",
		traceState: "",
		flags: 0,
		name: span.name,
		kind: 1,
		startTimeUnixNano: toNanos(span.start_time),
		endTimeUnixNano: toNanos(span.end_time),
		attributes,
		droppedAttributesCount: 0,
		events: (span.events ?? []).map((event) => ({
			timeUnixNano: toNanos(event.timestamp),
			name: event.name,
			attributes: toKeyValues(event.attributes ?? {}, room),
			droppedAttributesCount: 0,
		})),
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: {
			code: statusNumber(span.status_code) ?? 0,
			message: span.status_message ?? "",
		},
	};
}

function toNanos({ micros, nanos }: ParsedTime): bigint {
	return BigInt(micros) * 1_000n + BigInt(nanos);
}

/** Nested objects and arrays of objects become dotted keys; nulls are omitted. @throws ValidationError */
function toKeyValues(attributes: Readonly<Record<string, unknown>>, room: Room): KeyValue[] {
	const list: KeyValue[] = [];
	const add = (key: string, value: unknown): void => {
		if (value === null || value === undefined) return;
		room.ofSpan -= key.length;
		room.ofRequest -= key.length;
		if (Math.min(room.ofSpan, room.ofRequest) < 0) throw new ValidationError([KEYS_TOO_LONG]);
		if (typeof value !== "object") {
			list.push({ key, value: fromPlain(value as PlainValue) });
		} else if (JSON_KEY.test(key)) {
			list.push({ key, value: { type: "string", value: toJsonText(value) } });
		} else if (Array.isArray(value) && !value.some((item) => typeof item === "object" && item !== null)) {
			list.push({ key, value: fromPlain(value as PlainValue) });
		} else {
			for (const [name, item] of Object.entries(value)) add(`${key}.${name}`, item);
		}
	};
	for (const [key, value] of Object.entries(attributes)) add(key, value);
	return list;
}

function toJsonText(value: object): string {
	return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? JSON.rawJSON(String(item)) : item));
}
