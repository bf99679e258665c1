import type { OtlpAnyValue, OtlpKeyValue, OtlpSpan } from "@spanward/client";

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

/**
 * A span as a line of OTLP/JSON (an `ExportTraceServiceRequest`), as the Collector's file exporter writes it and
 * `spanward import otlp` reads it. 64-bit integers are text.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 * @param item an `OtlpSpan` of the REST API
 */
export function toOtlpLine(item: unknown): string {
	const span = item as OtlpSpan;
	const { resource, scope } = span;
	return JSON.stringify({
		resourceSpans: [
			{
				resource: present({
					attributes: resource.attributes.map(toKeyValue),
					droppedAttributesCount: resource.dropped_attributes_count,
				}),
				...present({ schemaUrl: resource.schema_url }),
				scopeSpans: [
					{
						scope: present({
							name: scope.name,
							version: scope.version,
							attributes: scope.attributes.map(toKeyValue),
							droppedAttributesCount: scope.dropped_attributes_count,
						}),
						...present({ schemaUrl: scope.schema_url }),
						spans: [toSpan(span)],
					},
				],
			},
		],
	});
}

function toSpan(span: OtlpSpan): object {
	return present({
		traceId: span.trace_id,
		spanId: span.span_id,
		parentSpanId: span.parent_span_id,
		traceState: span.trace_state,
		flags: span.flags,
		name: span.name,
		kind: Math.max(0, KINDS.indexOf(span.kind.replace("SPAN_KIND_", ""))),
		startTimeUnixNano: String(span.start_time_unix_nano),
		endTimeUnixNano: String(span.end_time_unix_nano),
		attributes: span.attributes.map(toKeyValue),
		droppedAttributesCount: span.dropped_attributes_count,
		events: span.events?.map((event) =>
			present({
				name: event.name,
				timeUnixNano: String(event.time_unix_nano),
				attributes: event.attributes.map(toKeyValue),
				droppedAttributesCount: event.dropped_attributes_count,
			}),
		),
		droppedEventsCount: span.dropped_events_count,
		links: span.links?.map((link) =>
			present({
				traceId: link.trace_id,
				spanId: link.span_id,
				traceState: link.trace_state,
				attributes: link.attributes.map(toKeyValue),
				droppedAttributesCount: link.dropped_attributes_count,
				flags: link.flags,
			}),
		),
		droppedLinksCount: span.dropped_links_count,
		status: present({ code: span.status.code, message: span.status.message }),
	});
}

function toKeyValue({ key, value }: OtlpKeyValue): object {
	return { key, value: toAnyValue(value) };
}

function toAnyValue(value: OtlpAnyValue): object {
	return present({
		stringValue: value.string_value,
		boolValue: value.bool_value,
		intValue: value.int_value === null || value.int_value === undefined ? null : String(value.int_value),
		doubleValue: value.double_value,
		bytesValue: value.bytes_value,
		arrayValue: value.array_value && { values: value.array_value.values.map(toAnyValue) },
		kvlistValue: value.kvlist_value && { values: value.kvlist_value.values.map(toKeyValue) },
	});
}

/** Without members that are absent, and counts that are 0. */
function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(members).filter(
			([key, value]) => value !== null && value !== undefined && !(value === 0 && key.startsWith("dropped")),
		),
	);
}
