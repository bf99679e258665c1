import { type OtlpAnyValue, type OtlpSpan, toOtlpJson } from "@spanward/client";
import { expect, test } from "vitest";
import { formatJson, parseJson } from "../../ui/content/json-value.ts";
import { searchAttributes, toSentAttributes } from "./sent-attributes.ts";

const unset: OtlpAnyValue = {
	array_value: null,
	bool_value: null,
	bytes_value: null,
	double_value: null,
	int_value: null,
	kvlist_value: null,
	string_value: null,
};

// As it comes over the wire: integers with all their digits.
const wire = `{
	"trace_id": "0102", "span_id": "03", "parent_span_id": null, "trace_state": null, "flags": 1, "name": "chat",
	"kind": "SPAN_KIND_CLIENT", "start_time_unix_nano": 1795245460671361024, "end_time_unix_nano": 1795245460715640064,
	"attributes": [
		{"key": "big", "value": ${JSON.stringify(unset).replace('"int_value":null', '"int_value":9223372036854775807')}},
		{"key": "map", "value": ${JSON.stringify({ ...unset, kvlist_value: { values: [{ key: "a", value: { ...unset, bool_value: true } }] } })}},
		{"key": "list", "value": ${JSON.stringify({ ...unset, array_value: { values: [{ ...unset, string_value: "x" }, unset] } })}},
		{"key": "nan", "value": ${JSON.stringify({ ...unset, double_value: "NaN" })}},
		{"key": "nothing", "value": ${JSON.stringify({ ...unset, string_value: "" })}}
	],
	"dropped_attributes_count": 0, "events": null, "dropped_events_count": null, "links": null, "dropped_links_count": 0,
	"status": {"code": 2, "message": "boom"},
	"resource": {"attributes": [], "dropped_attributes_count": 0, "schema_url": null},
	"scope": {"name": "lib", "version": "1", "attributes": [], "dropped_attributes_count": 0, "schema_url": null}
}`;
const span = parseJson(wire) as unknown as OtlpSpan;

test("writes a span as an OTLP/JSON request, every digit kept", () => {
	expect(JSON.parse(formatJson(toOtlpJson(span)))).toEqual({
		resourceSpans: [
			{
				resource: {},
				scopeSpans: [
					{
						scope: { name: "lib", version: "1" },
						spans: [
							{
								traceId: "0102",
								spanId: "03",
								flags: 1,
								name: "chat",
								kind: 3,
								startTimeUnixNano: "1795245460671361024",
								endTimeUnixNano: "1795245460715640064",
								attributes: [
									{ key: "big", value: { intValue: "9223372036854775807" } },
									{ key: "map", value: { kvlistValue: { values: [{ key: "a", value: { boolValue: true } }] } } },
									{ key: "list", value: { arrayValue: { values: [{ stringValue: "x" }, {}] } } },
									{ key: "nan", value: { doubleValue: "NaN" } },
									{ key: "nothing", value: { stringValue: "" } },
								],
								status: { code: 2, message: "boom" },
							},
						],
					},
				],
			},
		],
	});
});

test("lists what was sent with its type and exact value", () => {
	expect(toSentAttributes(span.attributes)).toEqual([
		{ key: "big", type: "int", value: 9223372036854775807n },
		{ key: "map", type: "map", value: { a: true } },
		{ key: "list", type: "array", value: ["x", null] },
		{ key: "nan", type: "double", value: "NaN" },
		{ key: "nothing", type: "string", value: "" },
	]);
});

test("finds attributes by key and value", () => {
	const attributes = toSentAttributes(span.attributes);
	const found = (...words: string[]) => searchAttributes(attributes, words).map((attribute) => attribute.key);
	expect(found("9223372036854775807")).toEqual(["big"]);
	expect(found("true", "map")).toEqual(["map"]);
	expect(found()).toHaveLength(5);
});
