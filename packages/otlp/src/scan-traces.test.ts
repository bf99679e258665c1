import { expect, test } from "vitest";
import { decodeResource, decodeScope, decodeSpan, decodeTraceRequest } from "./decode.ts";
import { OtlpDecodeError } from "./errors.ts";
import { createKeyTable } from "./key-table.ts";
import { toPlainMap } from "./plain.ts";
import { scanTraceRequest } from "./scan-traces.ts";
import {
	bytesField,
	fixed64Field,
	group,
	keyValue,
	nested,
	request,
	SPAN_ID,
	span,
	TRACE_ID,
	varint,
	varintField,
} from "./testing/wire.ts";

const LIMITS = { attributesPerSpan: 1_000, attributeBytes: 1_000_000, depth: 64 };
const KEYS = createKeyTable(["model", "__proto__", "constructor.prototype", ".".repeat(10_000)]);

function scan(bytes: Uint8Array, limits = LIMITS) {
	return scanTraceRequest(bytes, { limits, keys: KEYS });
}

const text = (value: string) => bytesField(1, value);
const attribute = (key: string, ...value: Uint8Array[]) => bytesField(9, keyValue(key, ...value));

test("an empty request has no spans", () => {
	expect(scan(new Uint8Array(0))).toEqual({ spans: [], scopes: [], resources: [], rejected: [] });
});

test("a span's narrow fields are read", () => {
	const { spans } = scan(
		request(
			span(
				bytesField(4, Buffer.from("00f067aa0ba902b7", "hex")),
				bytesField(5, "chat"),
				varintField(6, 3),
				fixed64Field(7, 1_795_245_521_367_000_123n),
				fixed64Field(8, 1_795_245_521_417_800_889n),
				attribute("model", text("gpt-4o")),
				attribute("other", text("x")),
				bytesField(15, bytesField(2, "late"), varintField(3, 2)),
			),
		),
	);
	expect(spans).toMatchObject([
		{
			traceId: "0af7651916cd43dd8448eb211c80319c",
			spanId: "b7ad6b7169203331",
			parentSpanId: "00f067aa0ba902b7",
			name: "chat",
			kind: 3,
			startMicros: 1_795_245_521_367_000,
			startNanos: 123,
			endMicros: 1_795_245_521_417_800,
			endNanos: 889,
			statusCode: 2,
			statusMessage: "late",
			promoted: new Map([["model", "gpt-4o"]]),
		},
	]);
});

test("a resource that comes after its spans, in pieces, and scopes without spans", () => {
	const bytes = bytesField(
		1,
		bytesField(2, bytesField(1, bytesField(1, "empty scope"))),
		bytesField(2, bytesField(2, span()), bytesField(1, bytesField(1, "first")), bytesField(1, bytesField(1, "last"))),
		bytesField(1, bytesField(1, keyValue("service.name", text("shop")))),
		bytesField(3, "schema"),
		bytesField(1, bytesField(1, keyValue("openinference.project.name", text("prod")))),
	);
	const { spans, scopes, resources } = scan(bytes);
	expect(spans.map(({ scope }) => scope)).toEqual([0]);
	expect(scopes).toMatchObject([{ name: "last", resource: 0 }]);
	expect(resources).toMatchObject([{ schemaUrl: "schema", projectName: "prod" }]);
	expect(decodeScope(scopes[0]?.bytes ?? new Uint8Array(0)).name).toBe("last");
	expect(decodeResource(resources[0]?.bytes ?? new Uint8Array(0))).toEqual(decodeTraceRequest(bytes)[0]?.resource);
});

test.each([
	["a string", text("prod"), "prod"],
	["an empty string", text(""), undefined],
	["a number", varintField(3, 5), undefined],
])("the project name of %s", (_title, value, expected) => {
	const resource = bytesField(1, bytesField(1, keyValue("openinference.project.name", value)));
	const { resources } = scan(bytesField(1, resource, bytesField(2, bytesField(2, span()))));
	expect(resources.map(({ projectName }) => projectName)).toEqual([expected]);
});

test("a scope or resource without accepted spans is not listed", () => {
	const many = Buffer.concat(Array.from({ length: 1_000 }, () => bytesField(1, bytesField(2, bytesField(2, "")))));
	const { scopes, resources, rejected } = scan(many);
	expect([scopes, resources]).toEqual([[], []]);
	expect(rejected.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
	expect(rejected.length).toBe(20);
});

test("of a repeated field the last one counts, and messages merge", () => {
	const { spans } = scan(
		request(
			span(
				bytesField(5, "first"),
				bytesField(5, "second"),
				bytesField(15, bytesField(2, "message")),
				bytesField(15, varintField(3, 2)),
				bytesField(9, bytesField(2, text("value first")), bytesField(1, "model")),
			),
		),
	);
	expect(spans).toMatchObject([{ name: "second", statusMessage: "message", statusCode: 2 }]);
	expect(spans[0]?.promoted.get("model")).toBe("value first");
});

test("a promoted value in pieces merges as the full decoder merges it", () => {
	const list = (...items: string[]) => bytesField(5, ...items.map((item) => bytesField(1, text(item))));
	const pieces = [
		[bytesField(2, list("a")), bytesField(2, list("b", "c"))],
		[bytesField(2, list("a")), bytesField(2, text("b")), bytesField(2, list("c"))],
		[bytesField(2, list("a"), list("b"))],
		[bytesField(2, text("a"), varintField(3, 7))],
		[bytesField(2, text("a")), bytesField(2)],
	];
	const expected = [["a", "b", "c"], ["c"], ["a", "b"], 7, "a"];
	for (const [index, values] of pieces.entries()) {
		const { spans } = scan(request(span(bytesField(9, bytesField(1, "model"), ...values))));
		expect(spans[0]?.promoted.get("model")).toEqual(expected[index]);
		expect(toPlainMap(decodeSpan(spans[0]?.bytes ?? new Uint8Array(0)).attributes).get("model")).toEqual(
			expected[index],
		);
	}
});

test("hostile keys are keys like any other", () => {
	const dots = ".".repeat(10_000);
	const { spans } = scan(
		request(
			span(
				attribute("__proto__", text("p")),
				attribute("constructor.prototype", bytesField(6, bytesField(1, keyValue("__proto__", text("inner"))))),
				attribute(dots, text("d")),
				attribute("a", text("1")),
				attribute("a.b", text("2")),
			),
		),
	);
	const promoted = spans[0]?.promoted;
	expect([...(promoted?.keys() ?? [])]).toEqual(["__proto__", "constructor.prototype", dots]);
	expect(Object.entries(promoted?.get("constructor.prototype") ?? {})).toEqual([["__proto__", "inner"]]);
	expect(({} as { inner?: string }).inner).toBeUndefined();
});

test.each([
	["a trace id of 8 bytes", [bytesField(1, SPAN_ID), bytesField(2, SPAN_ID)], "invalid_trace_id"],
	["no trace id", [bytesField(2, SPAN_ID)], "invalid_trace_id"],
	["a zero trace id", [bytesField(1, Buffer.alloc(16)), bytesField(2, SPAN_ID)], "invalid_trace_id"],
	["a zero span id", [bytesField(1, TRACE_ID), bytesField(2, Buffer.alloc(8))], "invalid_span_id"],
	["a span id of 16 bytes", [bytesField(1, TRACE_ID), bytesField(2, TRACE_ID)], "invalid_span_id"],
	["a parent id of 4 bytes", [span(bytesField(4, "four"))], "invalid_parent_span_id"],
	["a value beyond its attribute", [span(bytesField(9, Uint8Array.of(0x0a, 0x05, 0x61)))], "malformed"],
	["a truncated time", [span(Uint8Array.of(0x39, 0, 0))], "malformed"],
	["field number 0", [span(Uint8Array.of(0x02, 0x00))], "malformed"],
	["wire type 6", [span(Uint8Array.of(0x9e, 0x06, 0x00))], "malformed"],
	["wire type 7", [span(Uint8Array.of(0x9f, 0x06, 0x00))], "malformed"],
	["the end of a group that never began", [span(varint(100 * 8 + 4))], "malformed"],
	["a group that never ends", [span(varint(100 * 8 + 3))], "malformed"],
	["a group that ends as another", [span(varint(100 * 8 + 3), varint(101 * 8 + 4))], "malformed"],
	["a varint of 11 bytes", [span(Buffer.concat([varint(6 * 8), Buffer.alloc(10, 0xff), Buffer.of(1)]))], "malformed"],
	["an attribute value 65 deep", [span(attribute("other", nested(65)))], "too_deep"],
	["a promoted value 65 deep", [span(attribute("model", nested(65)))], "too_deep"],
	["groups 65 deep", [span(nestedGroups(65))], "too_deep"],
])("a span with %s is left out alone", (_title, parts, reason) => {
	const { spans, rejected } = scan(
		request(span(bytesField(5, "before")), Buffer.concat(parts), span(bytesField(5, "after"))),
	);
	expect(spans.map(({ name }) => name)).toEqual(["before", "after"]);
	expect(rejected).toEqual([{ reason, count: 1, message: expect.stringMatching(/^Span 1 .*was left out: its .*\.$/) }]);
});

test("a rejection names the span", () => {
	const { rejected } = scan(request(Buffer.concat([bytesField(5, 'chat "x"')])));
	expect(rejected[0]?.message).toBe(
		'Span 0 ("chat \\"x\\"") was left out: its trace id must be 16 bytes that are not all zero.',
	);
});

test("values and groups as deep as the limit are kept", () => {
	const { spans, rejected } = scan(request(span(attribute("model", nested(64)), nestedGroups(64))));
	expect(rejected).toEqual([]);
	expect(JSON.stringify(spans[0]?.promoted.get("model"))).toBe(`${"[".repeat(64)}"deep"${"]".repeat(64)}`);
});

test("unknown fields of every wire type, and known fields of another wire type, are skipped", () => {
	const unknown = [
		varintField(1_000, 7),
		fixed64Field(1_001, 7n),
		bytesField(1_002, "x"),
		group(1_003, varintField(1, 1), group(2, bytesField(3, "y"))),
		Buffer.concat([varint(1_004 * 8 + 5), Buffer.alloc(4)]),
		varintField(5, 9),
	];
	const { spans, rejected } = scan(request(span(bytesField(5, "kept"), ...unknown)));
	expect(rejected).toEqual([]);
	expect(spans.map(({ name }) => name)).toEqual(["kept"]);
});

test("an all-zero or empty parent id means a root", () => {
	const { spans } = scan(request(span(bytesField(4, Buffer.alloc(8))), span(bytesField(4))));
	expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([null, null]);
});

test("text that is not UTF-8 keeps its span", () => {
	const { spans } = scan(
		request(span(bytesField(5, Buffer.of(0x61, 0xc3)), attribute("model", bytesField(1, Buffer.of(0xff))))),
	);
	expect(spans[0]?.name).toBe("a\ufffd");
	expect(spans[0]?.promoted.get("model")).toBe("\ufffd");
});

test.each([
	["a length beyond the end", Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07)],
	["a length of more than 32 bits", Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)],
	["a span beyond its scope", bytesField(1, bytesField(2, Buffer.of(0x12, 0x05, 0x00)))],
	["half a tag", Buffer.of(0x8a)],
	["an unmatched end of a group", Buffer.of(0x0c)],
	["text", Buffer.from("hello world")],
	["JSON", Buffer.from('{"resourceSpans":[]}')],
	["a malformed resource", bytesField(1, bytesField(1, Buffer.of(0x0a, 0x05)))],
	["100,000 nested groups", Buffer.alloc(100_000, 0x0b)],
])("%s is no request", (_title, bytes) => {
	expect(() => scan(bytes)).toThrow(OtlpDecodeError);
	expect(() => decodeTraceRequest(bytes)).toThrow(OtlpDecodeError);
});

test("a span nested 100,000 deep is left out alone", () => {
	const deep = span(bytesField(9, Buffer.concat([bytesField(1, "model"), bytesField(2, nested(100_000))])));
	const { spans, rejected } = scan(request(deep, span()));
	expect(spans.length).toBe(1);
	expect(rejected.map(({ reason }) => reason)).toEqual(["too_deep"]);
});

test("a span beyond the limits is cut, and says so", () => {
	const limits = { attributesPerSpan: 3, attributeBytes: 5, depth: 64 };
	const event = bytesField(11, bytesField(2, "e"), bytesField(3, keyValue("in event", text("123456"))));
	const parts = [attribute("model", text("abcdéf")), attribute("b", text("12345")), attribute("c"), attribute("d")];
	const { spans, rejected } = scan(request(span(...parts, varintField(10, 4), event)), limits);
	expect(rejected).toEqual([]);
	const cut = decodeSpan(spans[0]?.bytes ?? new Uint8Array(0));
	expect(Object.fromEntries(toPlainMap(cut.attributes))).toEqual({
		model: "abcd",
		b: "12345",
		"spanward.cut": ["model", "in event"],
	});
	expect(cut.droppedAttributesCount).toBe(5);
	expect(toPlainMap(cut.events[0]?.attributes ?? []).get("in event")).toBe("12345");
	expect(spans[0]?.promoted.get("model")).toBe("abcd");
});

test("a cut span is not cut again", () => {
	const limits = { attributesPerSpan: 3, attributeBytes: 5, depth: 64 };
	const parts = ["a", "b", "c", "d"].map((key) => attribute(key, text("123456")));
	const once = scan(request(span(...parts)), limits).spans[0]?.bytes ?? new Uint8Array(0);
	const twice = scan(request(once), limits).spans[0]?.bytes ?? new Uint8Array(0);
	expect(decodeSpan(twice)).toEqual(decodeSpan(once));
});

test("a request of more spans than any exporter sends is rejected, valid or not", () => {
	const one = bytesField(2, span());
	const none = bytesField(2);
	const spans = (count: number) =>
		bytesField(1, bytesField(2, none, Buffer.alloc(one.length * (count - 1), Buffer.from(one))));
	expect(scan(spans(250_000)).spans.length).toBe(249_999);
	expect(() => scan(spans(250_001))).toThrow("The request holds more than 250000 items; send it in parts.");
});

test("events and links beyond the limit are dropped and counted", () => {
	const limits = { attributesPerSpan: 2, attributeBytes: 5, depth: 64 };
	const event = bytesField(11, bytesField(2, "e"), varintField(4, 3));
	const link = bytesField(13, ...["a", "b", "c"].map((key) => bytesField(4, keyValue(key, text("1")))));
	const fields = [...Array(3).fill(event), varintField(12, 7), ...Array(5).fill(link), bytesField(5, "name")];
	const { spans } = scan(request(span(...fields)), limits);
	const kept = decodeSpan(spans[0]?.bytes ?? new Uint8Array(0));
	expect([kept.name, kept.events.length, kept.links.length]).toEqual(["name", 2, 2]);
	expect([kept.droppedEventsCount, kept.droppedLinksCount]).toEqual([8, 3]);
	expect(kept.events.map(({ droppedAttributesCount }) => droppedAttributesCount)).toEqual([3, 3]);
	expect(kept.links.map(({ attributes }) => attributes.map(({ key }) => key))).toEqual([
		["a", "b"],
		["a", "b"],
	]);
	expect(kept.links.map(({ droppedAttributesCount }) => droppedAttributesCount)).toEqual([1, 1]);
});

test("only kept attributes are promoted", () => {
	const limits = { attributesPerSpan: 1, attributeBytes: 5, depth: 64 };
	const { spans } = scan(request(span(attribute("model", text("a")), attribute("model", text("b")))), limits);
	expect(spans[0]?.promoted.get("model")).toBe("a");
});

test("a span with more than a million values is left out alone", () => {
	const values = (count: number) => attribute("other", bytesField(5, Buffer.alloc(count * 2, bytesField(1))));
	const { spans, rejected } = scan(
		request(
			span(bytesField(5, "a"), values(1_000_000)),
			span(values(600_000), values(400_001)),
			span(bytesField(5, "b")),
		),
	);
	expect(spans.map(({ name }) => name)).toEqual(["a", "b"]);
	expect(rejected).toMatchObject([
		{ reason: "too_many_values", message: expect.stringContaining("Span 1 was left out") },
	]);
});

test("a resource with more than a million values in all its pieces is rejected", () => {
	const piece = (count: number) =>
		bytesField(1, bytesField(1, keyValue("k", bytesField(5, Buffer.alloc(count * 2, bytesField(1))))));
	const withSpan = (...pieces: Uint8Array[]) => bytesField(1, ...pieces, bytesField(2, bytesField(2, span())));
	expect(scan(withSpan(piece(600_000), piece(400_000))).spans.length).toBe(1);
	expect(() => scan(withSpan(piece(600_000), piece(400_001)))).toThrow("A resource or scope holds more than 1000000");
});

test("a resource and a scope beyond the limits are cut", () => {
	const limits = { attributesPerSpan: 1, attributeBytes: 5, depth: 64 };
	const owner = (field: number) => [
		bytesField(field, keyValue("long", text("123456"))),
		bytesField(field, keyValue("more", text("1"))),
	];
	const bytes = bytesField(
		1,
		bytesField(1, ...owner(1)),
		bytesField(2, bytesField(1, ...owner(3)), bytesField(2, span(attribute("a", text("1"))))),
	);
	const { spans, scopes, resources } = scan(bytes, limits);
	for (const { attributes, droppedAttributesCount } of [
		decodeResource(resources[0]?.bytes ?? new Uint8Array(0)),
		decodeScope(scopes[0]?.bytes ?? new Uint8Array(0)),
	]) {
		expect(Object.fromEntries(toPlainMap(attributes))).toEqual({ long: "12345", "spanward.cut": ["long"] });
		expect(droppedAttributesCount).toBe(1);
	}
	expect(decodeSpan(spans[0]?.bytes ?? new Uint8Array(0)).attributes.length).toBe(1);
});

test("a key that is not in the table is not added to it", () => {
	const before = KEYS.names.length;
	scan(request(span(...Array.from({ length: 500 }, (_, index) => attribute(`unseen.${index}`, text("x"))))));
	expect(KEYS.names.length).toBe(before);
});

function nestedGroups(depth: number): Uint8Array {
	return Buffer.concat([...Array(depth).fill(varint(100 * 8 + 3)), ...Array(depth).fill(varint(100 * 8 + 4))]);
}
