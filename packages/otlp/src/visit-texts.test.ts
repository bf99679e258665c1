import { expect, test } from "vitest";
import { encodeLogRecord, encodeSpan } from "./encode.ts";
import type { AnyValue, KeyValue, LogRecord, Span } from "./model.ts";
import { bytesField, group, keyValue, nested, SPAN_ID, TRACE_ID, varintField } from "./testing/wire.ts";
import { type VisitText, visitLogRecordTexts, visitSpanTexts } from "./visit-texts.ts";

function textsOf(visitTexts: (message: Uint8Array, visit: VisitText) => void, message: Uint8Array): string[] {
	const texts: string[] = [];
	visitTexts(message, (bytes, start, end) => texts.push(Buffer.from(bytes.subarray(start, end)).toString()));
	return texts;
}

const text = (value: string): AnyValue => ({ type: "string", value });
const attribute = (key: string, value: AnyValue): KeyValue => ({ key, value });

const MIXED: AnyValue = {
	type: "array",
	value: [
		text("in an array"),
		{ type: "int", value: 7n },
		{ type: "kvlist", value: [attribute("no", text("in a map of an array"))] },
		{ type: "bytes", value: Buffer.from("no text") },
	],
};

const SPAN: Span = {
	traceId: TRACE_ID.toString("hex"),
	spanId: SPAN_ID.toString("hex"),
	parentSpanId: "",
	traceState: "no=1",
	flags: 0,
	name: "the name",
	kind: 1,
	startTimeUnixNano: 1n,
	endTimeUnixNano: 2n,
	attributes: [
		attribute("no.key", text("a value")),
		attribute("empty", text("")),
		attribute("mixed", MIXED),
		attribute("flag", { type: "bool", value: true }),
	],
	droppedAttributesCount: 0,
	events: [
		{
			timeUnixNano: 1n,
			name: "an event",
			attributes: [attribute("k", text("of an event"))],
			droppedAttributesCount: 0,
		},
	],
	droppedEventsCount: 0,
	links: [
		{
			traceId: TRACE_ID.toString("hex"),
			spanId: SPAN_ID.toString("hex"),
			traceState: "no=2",
			attributes: [attribute("k", text("of a link"))],
			droppedAttributesCount: 0,
			flags: 0,
		},
	],
	droppedLinksCount: 0,
	status: { code: 2, message: "the status — größer" },
};

test("every text of a span is visited, and no key, id or number", () => {
	expect(textsOf(visitSpanTexts, encodeSpan(SPAN)).sort()).toEqual(
		[
			"",
			"a value",
			"an event",
			"in a map of an array",
			"in an array",
			"of a link",
			"of an event",
			"the name",
			"the status — größer",
		].sort(),
	);
});

test("every text of a log record is visited", () => {
	const record: LogRecord = {
		timeUnixNano: 1n,
		observedTimeUnixNano: 2n,
		severityNumber: 9,
		severityText: "no",
		body: MIXED,
		attributes: [attribute("k", text("of an attribute"))],
		droppedAttributesCount: 0,
		flags: 0,
		traceId: TRACE_ID.toString("hex"),
		spanId: SPAN_ID.toString("hex"),
		eventName: "gen_ai.choice",
	};
	expect(textsOf(visitLogRecordTexts, encodeLogRecord(record)).sort()).toEqual(
		["gen_ai.choice", "in a map of an array", "in an array", "of an attribute"].sort(),
	);
});

test("fields that come more than once are all visited, also in pieces and around unknown ones", () => {
	const message = Buffer.concat([
		bytesField(5, "first"),
		group(200, varintField(1, 5)),
		bytesField(5, "second"),
		bytesField(9, keyValue("k", bytesField(1, "one")), bytesField(2, bytesField(1, "two"))),
		bytesField(15, bytesField(2, "three")),
		bytesField(15, bytesField(2, "four")),
	]);
	expect(textsOf(visitSpanTexts, message)).toEqual(["first", "second", "one", "two", "three", "four"]);
});

test("a text in values that are nested as deep as they may be is visited", () => {
	expect(textsOf(visitSpanTexts, bytesField(9, keyValue("k", nested(100))))).toEqual(["deep"]);
});

test.each([
	["a text that ends early", Buffer.from([0x2a, 5, 0x61])],
	["a length that ends early", Buffer.from([0x2a, 0xff])],
	["values that are nested without end", bytesField(9, keyValue("k", nested(100_000)))],
])("%s is left out, and what stands before it is visited", (_, fault) => {
	expect(textsOf(visitSpanTexts, Buffer.concat([bytesField(5, "before"), fault]))).toEqual(["before"]);
});
