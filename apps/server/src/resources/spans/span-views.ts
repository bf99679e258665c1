import { type Plain, toOpenInference } from "@spanward/semconv";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toWirePlain } from "#http/wire-plain.ts";
import { formatTime } from "#http/wire-times.ts";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import { KIND_KEY } from "#storage/traces/openinference-keys.ts";
import type { Cumulative, SpanSummary } from "#storage/traces/trace-store.ts";
import { addDerived, type FlatAttributes, flattenAttributes, plain, plainAttributes } from "./flat-attributes.ts";
import { STATUS_CODES, toCumulativeNumbers, toSpanNumbers } from "./narrow-views.ts";
import { OTEL_KINDS, toOtlpSpan } from "./otlp-views.ts";
import { type Clock, stateAt } from "./run-state.ts";
import type { Span, SpanDetail } from "./schemas.ts";
import type { Semantic } from "./semantic-schema.ts";

type WireSpan = Omit<z.output<typeof Span>, "state">;
type WireSemantic = z.output<typeof Semantic>;

/** A span with its attributes as sent, plus the OpenInference keys that are derived from its convention where absent. */
export function toSpan(decoded: UnderstoodSpan, cumulative: Cumulative | undefined): WireSpan {
	return { ...toOwnSpan(decoded), ...toCumulativeNumbers(cumulative) };
}

/** A span without the sums over its descendants. */
function toOwnSpan(decoded: UnderstoodSpan) {
	const { summary, span } = decoded;
	const { [KIND_KEY]: sentKind, ...attributes } = toAttributes(decoded);
	return {
		id: encodeGlobalId("Span", summary.id),
		name: summary.name,
		context: { trace_id: summary.traceId, span_id: summary.spanId },
		span_kind: typeof sentKind === "string" && sentKind !== "" ? sentKind : summary.kind,
		parent_id: summary.parentSpanId,
		start_time: formatTime(summary.start.micros),
		end_time: formatTime(summary.end.micros),
		status_code: STATUS_CODES[summary.statusCode] ?? "UNSET",
		status_message: summary.statusMessage,
		attributes,
		events: span.events.map((event) => ({
			name: event.name,
			timestamp: formatTime(Number(event.timeUnixNano / 1_000n)),
			attributes: plainAttributes(event.attributes),
		})),
		...toSpanNumbers(summary),
	};
}

/** As {@link toSpan}, for lists without attributes and events. */
export function toSpanWithoutContent(summary: SpanSummary, cumulative: Cumulative | undefined): WireSpan {
	return {
		id: encodeGlobalId("Span", summary.id),
		name: summary.name,
		context: { trace_id: summary.traceId, span_id: summary.spanId },
		span_kind: summary.kind,
		parent_id: summary.parentSpanId,
		start_time: formatTime(summary.start.micros),
		end_time: formatTime(summary.end.micros),
		status_code: STATUS_CODES[summary.statusCode] ?? "UNSET",
		status_message: summary.statusMessage,
		attributes: {},
		events: [],
		...toSpanNumbers(summary),
		...toCumulativeNumbers(cumulative),
	};
}

/** The flattened attributes, with keys of OpenInference derived from other conventions where they are absent. */
export function toAttributes(understood: UnderstoodSpan): FlatAttributes {
	const attributes = flattenAttributes(understood.span.attributes);
	addDerived(
		attributes,
		toOpenInference(understood.input, () => understood.meaning),
	);
	return attributes;
}

/** What the span means, with its stored cost. */
export function toSemantic({ summary, meaning }: UnderstoodSpan): WireSemantic {
	const wire = toWirePlain(meaning as unknown as Plain) as WireSemantic;
	return {
		...wire,
		...(summary.cost === null ? {} : { cost: summary.cost }),
		...(summary.tokensAreAggregate ? { tokens_are_aggregate: true } : {}),
	};
}

/** Everything that was sent of a span, and its meaning; `cumulative` are the sums by span row number, if requested. */
export function toSpanDetail(
	decoded: UnderstoodSpan,
	cumulative: ReadonlyMap<number, Cumulative> | undefined,
	clock: Clock,
): z.output<typeof SpanDetail> {
	const { summary, span, scope, resource, logs } = decoded;
	return {
		...toOwnSpan(decoded),
		state: stateAt(clock, summary.heardMicros),
		...(cumulative === undefined ? {} : toCumulativeNumbers(cumulative.get(summary.id))),
		project_id: encodeGlobalId("Project", summary.projectId),
		otel_kind: OTEL_KINDS[span.kind] ?? "SPAN_KIND_UNSPECIFIED",
		links: span.links.map((link) => ({
			trace_id: link.traceId,
			span_id: link.spanId,
			trace_state: link.traceState,
			attributes: plainAttributes(link.attributes),
			flags: link.flags,
		})),
		resource: {
			attributes: plainAttributes(resource.attributes),
			dropped_attributes_count: resource.droppedAttributesCount,
			schema_url: decoded.resourceSchemaUrl,
		},
		scope: {
			name: scope.name,
			version: scope.version,
			attributes: plainAttributes(scope.attributes),
			dropped_attributes_count: scope.droppedAttributesCount,
			schema_url: decoded.scopeSchemaUrl,
		},
		log_events: logs.map((log) => ({
			event_name: log.eventName,
			timestamp: formatTime(Number((log.timeUnixNano || log.observedTimeUnixNano) / 1_000n)),
			body: plain(log.body),
			attributes: plainAttributes(log.attributes),
		})),
		cost: summary.cost,
		semantic: toSemantic(decoded),
		otlp: toOtlpSpan(decoded),
	};
}
