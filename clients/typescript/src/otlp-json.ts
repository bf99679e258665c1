import type { OtlpAnyValue, OtlpKeyValue, OtlpSpan } from "./generated/api.ts";

/** JSON; integers that a double does not hold may be bigints. */
export type OtlpJson =
	| null
	| string
	| boolean
	| number
	| bigint
	| readonly OtlpJson[]
	| { readonly [member: string]: OtlpJson };

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

/**
 * A span of `GET …/spans/otlpv1` as an OTLP/JSON `ExportTraceServiceRequest`, which any OTLP endpoint and the Collector take:
 * lower camel case, 64-bit integers as text, ids in hex. Members that have the value which an absent one means are left out:
 * null, an empty text or list, a count of 0. Values of attributes are written as they are, also empty ones.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 *
 * @example
 * ```ts
 * const line = JSON.stringify(toOtlpJson(span)); // a line of a file of the Collector
 * ```
 */
export function toOtlpJson(span: OtlpSpan): { readonly resourceSpans: readonly OtlpJson[] } {
	const { resource, scope } = span;
	return {
		resourceSpans: [
			{
				resource: members({
					attributes: resource.attributes.map(toKeyValue),
					droppedAttributesCount: resource.dropped_attributes_count,
				}),
				scopeSpans: [
					{
						scope: members({
							name: scope.name,
							version: scope.version,
							attributes: scope.attributes.map(toKeyValue),
							droppedAttributesCount: scope.dropped_attributes_count,
						}),
						spans: [toSpan(span)],
						...members({ schemaUrl: scope.schema_url }),
					},
				],
				...members({ schemaUrl: resource.schema_url }),
			},
		],
	};
}

function toSpan(span: OtlpSpan): OtlpJson {
	return members({
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
			members({
				timeUnixNano: String(event.time_unix_nano),
				name: event.name,
				attributes: event.attributes.map(toKeyValue),
				droppedAttributesCount: event.dropped_attributes_count,
			}),
		),
		droppedEventsCount: span.dropped_events_count,
		links: span.links?.map((link) =>
			members({
				traceId: link.trace_id,
				spanId: link.span_id,
				traceState: link.trace_state,
				attributes: link.attributes.map(toKeyValue),
				droppedAttributesCount: link.dropped_attributes_count,
				flags: link.flags,
			}),
		),
		droppedLinksCount: span.dropped_links_count,
		status: members({ code: span.status.code, message: span.status.message }),
	});
}

/** Without those that mean the same when they are absent. */
function members(all: { readonly [member: string]: OtlpJson | undefined }): { readonly [member: string]: OtlpJson } {
	const present: Record<string, OtlpJson> = {};
	for (const [name, value] of Object.entries(all)) {
		const isEmpty = value === "" || value === 0 || value === 0n || (Array.isArray(value) && value.length === 0);
		if (value !== undefined && value !== null && !isEmpty) present[name] = value;
	}
	return present;
}

function toKeyValue({ key, value }: OtlpKeyValue): { readonly [member: string]: OtlpJson } {
	return { key, value: toAnyValue(value) };
}

/** Each value has one of these members, or none where nothing was sent. */
function toAnyValue(value: OtlpAnyValue): { readonly [member: string]: OtlpJson } {
	if (value.string_value != null) return { stringValue: value.string_value };
	if (value.bool_value != null) return { boolValue: value.bool_value };
	if (value.int_value != null) return { intValue: String(value.int_value) };
	if (value.double_value != null) return { doubleValue: value.double_value };
	if (value.bytes_value != null) return { bytesValue: value.bytes_value };
	if (value.array_value != null) return { arrayValue: { values: value.array_value.values.map(toAnyValue) } };
	if (value.kvlist_value != null) return { kvlistValue: { values: value.kvlist_value.values.map(toKeyValue) } };
	return {};
}
