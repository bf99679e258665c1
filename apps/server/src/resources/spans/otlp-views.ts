import type { AnyValue, KeyValue } from "@spanward/otlp";
import type { z } from "zod";
import { exactDouble, exactInteger } from "#http/exact-json.ts";
import type { DecodedSpan } from "#storage/traces/decode-span.ts";
import type { OtlpSpan, WireAnyValue } from "./otlp-schemas.ts";

/** Indexed by OTLP's number of the span kind. */
export const OTEL_KINDS = [
	"SPAN_KIND_UNSPECIFIED",
	"SPAN_KIND_INTERNAL",
	"SPAN_KIND_SERVER",
	"SPAN_KIND_CLIENT",
	"SPAN_KIND_PRODUCER",
	"SPAN_KIND_CONSUMER",
] as const;

/** A span exactly as it was sent: OTLP/JSON in snake_case, integers with all digits. */
export function toOtlpSpan({
	summary,
	span,
	scope,
	scopeSchemaUrl,
	resource,
	resourceSchemaUrl,
}: DecodedSpan): z.output<typeof OtlpSpan> {
	return {
		trace_id: summary.traceId,
		span_id: summary.spanId,
		parent_span_id: summary.parentSpanId,
		trace_state: span.traceState || null,
		flags: span.flags,
		name: span.name,
		kind: OTEL_KINDS[span.kind] ?? "SPAN_KIND_UNSPECIFIED",
		start_time_unix_nano: exactInteger(span.startTimeUnixNano),
		end_time_unix_nano: exactInteger(span.endTimeUnixNano),
		attributes: span.attributes.map(toWireKeyValue),
		dropped_attributes_count: span.droppedAttributesCount,
		events: span.events.map((event) => ({
			name: event.name,
			time_unix_nano: exactInteger(event.timeUnixNano),
			attributes: event.attributes.map(toWireKeyValue),
			dropped_attributes_count: event.droppedAttributesCount,
		})),
		dropped_events_count: span.droppedEventsCount,
		links: span.links.map((link) => ({
			trace_id: link.traceId,
			span_id: link.spanId,
			trace_state: link.traceState || null,
			attributes: link.attributes.map(toWireKeyValue),
			dropped_attributes_count: link.droppedAttributesCount,
			flags: link.flags,
		})),
		dropped_links_count: span.droppedLinksCount,
		status: { code: span.status.code, message: span.status.message || null },
		resource: {
			attributes: resource.attributes.map(toWireKeyValue),
			dropped_attributes_count: resource.droppedAttributesCount,
			schema_url: resourceSchemaUrl || null,
		},
		scope: {
			name: scope.name,
			version: scope.version || null,
			attributes: scope.attributes.map(toWireKeyValue),
			dropped_attributes_count: scope.droppedAttributesCount,
			schema_url: scopeSchemaUrl || null,
		},
	};
}

function toWireKeyValue({ key, value }: KeyValue): { key: string; value: WireAnyValue } {
	return { key, value: toWireAnyValue(value) };
}

const EMPTY: WireAnyValue = {
	array_value: null,
	bool_value: null,
	bytes_value: null,
	double_value: null,
	int_value: null,
	kvlist_value: null,
	string_value: null,
};

function toWireAnyValue(value: AnyValue): WireAnyValue {
	switch (value.type) {
		case "empty":
			return EMPTY;
		case "string":
			return { ...EMPTY, string_value: value.value };
		case "bool":
			return { ...EMPTY, bool_value: value.value };
		case "int":
			return { ...EMPTY, int_value: exactInteger(value.value) };
		case "double":
			return { ...EMPTY, double_value: exactDouble(value.value) };
		case "bytes":
			return { ...EMPTY, bytes_value: Buffer.from(value.value).toString("base64") };
		case "array":
			return { ...EMPTY, array_value: { values: value.value.map(toWireAnyValue) } };
		case "kvlist":
			return { ...EMPTY, kvlist_value: { values: value.value.map(toWireKeyValue) } };
	}
}
