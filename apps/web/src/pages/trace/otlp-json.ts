import type { OtlpAnyValue, OtlpKeyValue, OtlpSpan } from "@spanward/client";
import type { Json } from "../../ui/content/json-value.ts";

/**
 * The span as an OTLP/JSON `ExportTraceServiceRequest`, which any OTLP endpoint takes: lower camel case, 64-bit integers
 * as strings, ids in hex, fields without a value left out.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toOtlpJson(span: OtlpSpan): Json {
	return {
		resourceSpans: [
			{
				resource: fields({
					attributes: keyValues(span.resource.attributes),
					droppedAttributesCount: span.resource.dropped_attributes_count,
				}),
				scopeSpans: [
					fields({
						scope: fields({
							name: span.scope.name,
							version: span.scope.version,
							attributes: keyValues(span.scope.attributes),
							droppedAttributesCount: span.scope.dropped_attributes_count,
						}),
						spans: [spanFields(span)],
						schemaUrl: span.scope.schema_url,
					}),
				],
				...fields({ schemaUrl: span.resource.schema_url }),
			},
		],
	};
}

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

function spanFields(span: OtlpSpan): { readonly [key: string]: Json } {
	return fields({
		traceId: span.trace_id,
		spanId: span.span_id,
		parentSpanId: span.parent_span_id,
		traceState: span.trace_state,
		flags: span.flags,
		name: span.name,
		kind: Math.max(0, KINDS.indexOf(span.kind.replace("SPAN_KIND_", ""))),
		startTimeUnixNano: String(span.start_time_unix_nano),
		endTimeUnixNano: String(span.end_time_unix_nano),
		attributes: keyValues(span.attributes),
		droppedAttributesCount: span.dropped_attributes_count,
		events: (span.events ?? []).map((event) =>
			fields({
				timeUnixNano: String(event.time_unix_nano),
				name: event.name,
				attributes: keyValues(event.attributes),
				droppedAttributesCount: event.dropped_attributes_count,
			}),
		),
		droppedEventsCount: span.dropped_events_count,
		links: (span.links ?? []).map((link) =>
			fields({
				traceId: link.trace_id,
				spanId: link.span_id,
				traceState: link.trace_state,
				attributes: keyValues(link.attributes),
				droppedAttributesCount: link.dropped_attributes_count,
				flags: link.flags,
			}),
		),
		droppedLinksCount: span.dropped_links_count,
		status: fields({ code: span.status.code, message: span.status.message }),
	});
}

/** Removes unset fields: null, an empty text or list, a count of zero. */
function fields(all: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
	const empty = (value: Json) =>
		value === null || value === "" || value === 0 || value === 0n || (Array.isArray(value) && value.length === 0);
	return Object.fromEntries(Object.entries(all).filter(([, value]) => !empty(value)));
}

function keyValues(list: readonly OtlpKeyValue[]): Json {
	return list.map(({ key, value }) => ({ key, value: anyValue(value) }));
}

function anyValue(value: OtlpAnyValue): Json {
	if (value.string_value !== null) return { stringValue: value.string_value };
	if (value.bool_value !== null) return { boolValue: value.bool_value };
	if (value.int_value !== null) return { intValue: String(value.int_value) };
	if (value.double_value !== null) return { doubleValue: value.double_value };
	if (value.bytes_value !== null) return { bytesValue: value.bytes_value };
	if (value.array_value !== null) return { arrayValue: { values: value.array_value.values.map(anyValue) } };
	if (value.kvlist_value !== null) return { kvlistValue: { values: keyValues(value.kvlist_value.values) } };
	return {};
}
