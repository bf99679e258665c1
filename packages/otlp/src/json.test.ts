import { expect, test } from "vitest";
import { decodeSpan } from "./decode.ts";
import { encodeLogsRequest, encodeTraceRequest } from "./encode.ts";
import { OtlpDecodeError } from "./errors.ts";
import { parseLogsRequestJson, parseTraceRequestJson } from "./json.ts";
import type { AnyValue, KeyValue, ResourceSpans, Span } from "./model.ts";
import { toPlainMap } from "./plain.ts";
import { decodeOfficialTraces } from "./testing/official-schema.ts";
import { RandomMessages } from "./testing/random-message.ts";

const IDS = '"traceId":"0AF7651916CD43DD8448EB211C80319C","spanId":"b7ad6b7169203331"';

function request(...spans: string[]): string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(",")}]}]}]}`;
}

function parse(...spans: string[]) {
	const { resourceSpans, rejected } = parseTraceRequestJson(request(...spans), 64);
	return { spans: resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)), rejected };
}

function parseSpan(members: string): Span | undefined {
	const { spans, rejected } = parse(`{${IDS},${members}}`);
	expect(rejected).toEqual([]);
	return spans[0];
}

function parseValue(json: string): AnyValue | undefined {
	return parseSpan(`"attributes":[{"key":"a","value":${json}}]`)?.attributes[0]?.value;
}

test("a span with nothing but ids has the defaults", () => {
	expect(parse(`{${IDS}}`)).toEqual({
		spans: [
			{
				...decodeSpan(new Uint8Array(0)),
				traceId: "0af7651916cd43dd8448eb211c80319c",
				spanId: "b7ad6b7169203331",
			},
		],
		rejected: [],
	});
});

test.each([
	['"1795245521367000123"', 1_795_245_521_367_000_123n],
	["1795245521367000123", 1_795_245_521_367_000_123n],
	["18446744073709551615", 2n ** 64n - 1n],
	["1.795245521367000123e18", 1_795_245_521_367_000_123n],
	["17952455213670001230e-1", 1_795_245_521_367_000_123n],
	["17952455213.67000123e8", 1_795_245_521_367_000_123n],
	["123456789012345679e2", 12_345_678_901_234_567_900n],
	["1234567e12", 1_234_567_000_000_000_000n],
	["1000", 1_000n],
	["null", 0n],
])("the time %s is exact", (json, expected) => {
	expect(parseSpan(`"startTimeUnixNano":${json}`)?.startTimeUnixNano).toBe(expected);
	expect(parseSpan(`"start_time_unix_nano" : ${json}`)?.startTimeUnixNano).toBe(expected);
});

test.each<[string, AnyValue]>([
	['{"stringValue":""}', { type: "string", value: "" }],
	['{"boolValue":false}', { type: "bool", value: false }],
	['{"intValue":"-9223372036854775808"}', { type: "int", value: -(2n ** 63n) }],
	['{"intValue":9223372036854775807}', { type: "int", value: 2n ** 63n - 1n }],
	['{"intValue":9007199254740993}', { type: "int", value: 9_007_199_254_740_993n }],
	['{"int_value":1.0}', { type: "int", value: 1n }],
	['{"doubleValue":1}', { type: "double", value: 1 }],
	['{"doubleValue":-0.0}', { type: "double", value: -0 }],
	['{"doubleValue":12345678901234567890}', { type: "double", value: Number("12345678901234567890") }],
	['{"doubleValue":0.1234567890123456789}', { type: "double", value: 0.123_456_789_012_345_68 }],
	['{"doubleValue":"NaN"}', { type: "double", value: Number.NaN }],
	['{"doubleValue":"Infinity"}', { type: "double", value: Number.POSITIVE_INFINITY }],
	['{"doubleValue":"-Infinity"}', { type: "double", value: Number.NEGATIVE_INFINITY }],
	['{"doubleValue":"1.5e3"}', { type: "double", value: 1500 }],
	['{"bytesValue":"+/8="}', { type: "bytes", value: Uint8Array.of(0xfb, 0xff) }],
	['{"bytesValue":"-_8"}', { type: "bytes", value: Uint8Array.of(0xfb, 0xff) }],
	['{"arrayValue":{}}', { type: "array", value: [] }],
	[
		'{"arrayValue":{"values":[{"intValue":1},{},null]}}',
		{ type: "array", value: [{ type: "int", value: 1n }, { type: "empty" }, { type: "empty" }] },
	],
	[
		'{"kvlistValue":{"values":[{"key":"__proto__","value":{"stringValue":"x"}}]}}',
		{ type: "kvlist", value: [{ key: "__proto__", value: { type: "string", value: "x" } }] },
	],
	["{}", { type: "empty" }],
	["null", { type: "empty" }],
	['{"stringValue":null}', { type: "empty" }],
	['{"futureValue":1}', { type: "empty" }],
])("the value %s", (json, expected) => {
	expect(parseValue(json)).toEqual(expected);
});

test.each([
	['"kind":3', 3],
	['"kind":"SPAN_KIND_CLIENT"', 3],
	['"kind":"SPAN_KIND_FUTURE"', 0],
	['"kind":9', 9],
	['"kind":null', 0],
])("%s", (json, expected) => {
	expect(parseSpan(json)?.kind).toBe(expected);
});

test("everything a span carries is read", () => {
	const span = parseSpan(`
		"parentSpanId":"00F067AA0BA902B7", "traceState":"a=1", "flags":257, "name":"chat", "droppedAttributesCount":1,
		"events":[{"timeUnixNano":"5","name":"e","attributes":[{"key":"k","value":{"boolValue":true}}],"droppedAttributesCount":2}],
		"droppedEventsCount":3,
		"links":[{"traceId":"AB","spanId":"","traceState":"b=2","attributes":[],"droppedAttributesCount":4,"flags":1}],
		"droppedLinksCount":5, "status":{"code":"STATUS_CODE_ERROR","message":"no"}, "future":{"a":[1]}
	`);
	expect(span).toMatchObject({
		parentSpanId: "00f067aa0ba902b7",
		traceState: "a=1",
		flags: 257,
		name: "chat",
		droppedAttributesCount: 1,
		events: [
			{
				timeUnixNano: 5n,
				name: "e",
				attributes: [{ key: "k", value: { type: "bool", value: true } }],
				droppedAttributesCount: 2,
			},
		],
		droppedEventsCount: 3,
		links: [{ traceId: "ab", spanId: "", traceState: "b=2", attributes: [], droppedAttributesCount: 4, flags: 1 }],
		droppedLinksCount: 5,
		status: { code: 2, message: "no" },
	});
});

test.each([
	['{"spanId":"b7ad6b7169203331"}', "invalid_trace_id"],
	['{"traceId":"xyz","spanId":"b7ad6b7169203331"}', "invalid_trace_id"],
	['{"traceId":"00000000000000000000000000000000","spanId":"b7ad6b7169203331"}', "invalid_trace_id"],
	['{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7"}', "invalid_span_id"],
	['{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":12}', "invalid_span_id"],
	[`{${IDS},"parentSpanId":"nope"}`, "invalid_parent_span_id"],
	[`{${IDS},"name":5}`, "malformed"],
	[`{${IDS},"startTimeUnixNano":"soon"}`, "malformed"],
	[`{${IDS},"startTimeUnixNano":-1}`, "malformed"],
	[`{${IDS},"startTimeUnixNano":1.5}`, "malformed"],
	[`{${IDS},"startTimeUnixNano":18446744073709551616}`, "malformed"],
	[`{${IDS},"startTimeUnixNano":1e999}`, "malformed"],
	[`{${IDS},"endTimeUnixNano":"1e999999999"}`, "malformed"],
	[`{${IDS},"flags":4294967296}`, "malformed"],
	[`{${IDS},"attributes":{}}`, "malformed"],
	[`{${IDS},"attributes":[1]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":"x"}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"intValue":"x"}}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"boolValue":"true"}}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"bytesValue":"a b"}}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"bytesValue":"abcde"}}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"doubleValue":"one"}}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":{"arrayValue":{"values":[1]}}}]}`, "malformed"],
	[`{${IDS},"links":[{"traceId":"abc"}]}`, "malformed"],
	[`{${IDS},"attributes":[{"key":"a","value":${nested(65)}}]}`, "too_deep"],
	["7", "malformed"],
	["null", "malformed"],
])("the span %s is left out alone", (json, reason) => {
	const { spans, rejected } = parse(`{${IDS},"name":"before"}`, json, `{${IDS},"name":"after"}`);
	expect(spans.map(({ name }) => name)).toEqual(["before", "after"]);
	expect(rejected).toEqual([{ reason, count: 1, message: expect.stringMatching(/^Span 1 .*was left out: its .*\.$/) }]);
});

test("a rejection names the span and what to change", () => {
	const { rejected } = parse(`{${IDS},"name":"chat","startTimeUnixNano":true}`);
	expect(rejected[0]?.message).toBe(
		'Span 0 ("chat") was left out: its startTimeUnixNano must be an unsigned 64-bit integer.',
	);
});

test("values as deep as the limit are kept", () => {
	expect(parse(`{${IDS},"attributes":[{"key":"a","value":${nested(64)}}]}`).rejected).toEqual([]);
});

test("only the spans of a wrong resource are left out", () => {
	const group = (resource: string, name: string) =>
		`{"resource":${resource},"scopeSpans":[{"scope":{"name":"s"},"spans":[{${IDS},"name":"${name}"}]}]}`;
	const { resourceSpans, rejected } = parseTraceRequestJson(
		`{"resourceSpans":[${group('{"attributes":7}', "lost")},${group('{"droppedAttributesCount":1}', "kept")}]}`,
	);
	expect(
		resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).map(({ name }) => name),
	).toEqual(["kept"]);
	expect(rejected).toMatchObject([{ reason: "malformed", message: expect.stringContaining("its resource is wrong") }]);
});

test("braces in a text are no objects", () => {
	const text = '{\\"[\\\\'.repeat(2_100_000);
	expect(parseValue(`{"stringValue":"${text}"}`)).toEqual({ type: "string", value: '{"[\\'.repeat(2_100_000) });
});

test("member names of the .proto files are accepted", () => {
	const { resourceSpans } = parseTraceRequestJson(
		`{"resource_spans":[{"schema_url":"r","scope_spans":[{"schema_url":"s","spans":[{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331","dropped_links_count":2}]}]}]}`,
	);
	expect(resourceSpans).toMatchObject([
		{ schemaUrl: "r", scopeSpans: [{ schemaUrl: "s", spans: [{ droppedLinksCount: 2 }] }] },
	]);
});

test.each([
	["no JSON", "{"],
	["nothing", ""],
	["an array", "[]"],
	["a number", "5"],
	["resourceSpans that is no array", '{"resourceSpans":{}}'],
	["resourceSpans of numbers", '{"resourceSpans":[1]}'],
	["spans that is no array", '{"resourceSpans":[{"scopeSpans":[{"spans":5}]}]}'],
	["more arrays than fit in memory", `{"resourceSpans":[${"[],".repeat(4_000_000)}[]]}`],
	["100,000 nested arrays", `${"[".repeat(100_000)}1e5${"]".repeat(100_000)}`],
])("%s is no request", (_title, text) => {
	expect(() => parseTraceRequestJson(text)).toThrow(OtlpDecodeError);
	expect(() => parseTraceRequestJson(text)).toThrow(/\.$/);
});

test("an object without spans is an empty request", () => {
	expect(parseTraceRequestJson("{}")).toEqual({ resourceSpans: [], rejected: [] });
	expect(parseTraceRequestJson('{"resourceSpans":null,"future":1}')).toEqual({ resourceSpans: [], rejected: [] });
});

test("a value nested 100,000 deep is rejected", () => {
	const deep = `{${IDS},"attributes":[{"key":"a","value":${nested(100_000)}}]}`;
	expect(parse(deep, `{${IDS}}`).rejected.map(({ reason }) => reason)).toEqual(["too_deep"]);
});

test("random traces survive the JSON encoding", () => {
	const random = new RandomMessages(7);
	for (let round = 0; round < 500; round++) {
		const traces = random.traces();
		const { resourceSpans, rejected } = parseTraceRequestJson(toJson(traces, round % 2 === 0));
		expect(rejected).toEqual([]);
		expect(resourceSpans).toEqual(traces);
		expect(decodeOfficialTraces(encodeTraceRequest(resourceSpans)).groups).toEqual(traces);
	}
});

test("log records are read", () => {
	const { resourceLogs, rejected } = parseLogsRequestJson(
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[
			{${IDS},"timeUnixNano":"5","observedTimeUnixNano":6,"severityNumber":"SEVERITY_NUMBER_INFO2","severityText":"INFO2",
			 "body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"hi"}}]}},"eventName":"gen_ai.choice"},
			{"traceId":"short","spanId":"","body":null},
			{"timeUnixNano":"later"}
		]}]}]}`,
	);
	const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
	expect(records).toMatchObject([
		{
			traceId: "0af7651916cd43dd8448eb211c80319c",
			timeUnixNano: 5n,
			observedTimeUnixNano: 6n,
			severityNumber: 10,
			severityText: "INFO2",
			body: { type: "kvlist", value: [{ key: "content", value: { type: "string", value: "hi" } }] },
			eventName: "gen_ai.choice",
		},
		{ traceId: "", spanId: "", body: { type: "empty" } },
	]);
	expect(rejected).toMatchObject([
		{ reason: "malformed", message: expect.stringContaining("Log record 2 was left out") },
	]);
	expect(encodeLogsRequest(resourceLogs).length).toBeGreaterThan(0);
});

test("an attribute called __proto__ changes nothing", () => {
	const span = parseSpan(
		'"__proto__":{"name":"x"},"attributes":[{"key":"__proto__","value":{"stringValue":"p"},"__proto__":{"a":1}}]',
	);
	expect(span?.name).toBe("");
	expect([...toPlainMap(span?.attributes ?? [])]).toEqual([["__proto__", "p"]]);
});

function nested(depth: number): string {
	return `${'{"arrayValue":{"values":['.repeat(depth)}{"intValue":1}${"]}}".repeat(depth)}`;
}

/** OTLP/JSON as exporters write it. @param numbers true for 64-bit integers as numbers, false for strings */
function toJson(traces: readonly ResourceSpans[], numbers: boolean): string {
	const integer = (value: bigint) => (numbers ? `number:${value}` : String(value));
	const keyValue = ({ key, value }: KeyValue) => ({ key, value: anyValue(value) });
	const anyValue = (value: AnyValue): unknown => {
		switch (value.type) {
			case "empty":
				return {};
			case "int":
				return { intValue: integer(value.value) };
			case "double":
				if (Object.is(value.value, -0)) return { doubleValue: "number:-0.0" };
				return { doubleValue: Number.isFinite(value.value) ? value.value : String(value.value) };
			case "bytes":
				return { bytesValue: Buffer.from(value.value).toString(numbers ? "base64" : "base64url") };
			case "array":
				return { arrayValue: { values: value.value.map(anyValue) } };
			case "kvlist":
				return { kvlistValue: { values: value.value.map(keyValue) } };
			default:
				return { [`${value.type}Value`]: value.value };
		}
	};
	const replace = (key: string, value: unknown): unknown => {
		if (key === "attributes" && Array.isArray(value)) return value.map(keyValue);
		return typeof value === "bigint" ? integer(value) : value;
	};
	return JSON.stringify({ resourceSpans: traces }, replace).replaceAll(/"number:([^"]*)"/g, "$1");
}
