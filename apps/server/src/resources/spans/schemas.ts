import { z } from "zod";
import { filteredPageSchema, filterParam } from "#http/filter-param.ts";
import {
	booleanParam,
	countParam,
	cursorParam,
	latencyParam,
	limitParam,
	orderParam,
	repeated,
	searchParam,
	sortParam,
	textParam,
} from "#http/query-params.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { shownAnnotations } from "../annotations/schemas.ts";
import { OtlpSpan } from "./otlp-schemas.ts";
import { runState } from "./run-state.ts";
import { Semantic } from "./semantic-schema.ts";

const count = z.int();
export const statusCode = z.enum(["OK", "ERROR", "UNSET"]);

/** Attributes by dotted key. */
const attributes = z.unknown().meta({ type: "object", additionalProperties: true });

const SpanEvent = z.object({ name: z.string(), timestamp: wireTime, attributes }).meta({ id: "SpanEvent" });

/** A span in lists of traces. */
export const TraceSpan = z
	.object({
		id: z.string(),
		span_id: z.string().describe("16 hex digits, or the text that was sent in their place."),
		parent_id: z.string().nullable(),
		name: z.string(),
		span_kind: z.string(),
		status_code: statusCode,
		start_time: wireTime,
		end_time: wireTime,
	})
	.meta({ id: "TraceSpan" });

/** Sums over a span and all its descendants, without double counting. */
const cumulativeNumbers = {
	cumulative_error_count: count,
	cumulative_token_count_prompt: count,
	cumulative_token_count_completion: count,
	cumulative_token_count_total: count,
	cumulative_cost: z.number(),
};

/** Fields from a span's narrow row that every view of a span has. */
const spanNumbers = {
	latency_ms: z.number().nullable().describe("Null while the span has no end: `end_time` is then its start."),
	model: z.string().nullable(),
	provider: z.string().nullable(),
	token_count_prompt: count.nullable(),
	token_count_completion: count.nullable(),
	token_count_total: count.nullable(),
	tokens_are_aggregate: z.boolean().describe("The counts repeat those of descendants."),
	total_cost: z.number().nullable().describe("US dollars; null when unknown."),
	session_id: z.string().nullable(),
	user_id: z.string().nullable(),
};

const contentDigest = z.string().nullable();

/** Of what a span was given and gave; null for what it does not have. */
export const ContentDigests = z
	.object({ input: contentDigest, output: contentDigest, parameters: contentDigest })
	.meta({
		id: "ContentDigests",
		description:
			"Equal for spans with equal content, whatever the ids of their calls; null for what a span does not have.",
	});

/** A span of one trace; `semantic`, `attributes` and `content_digests` when they were asked for. */
export const NarrowSpan = TraceSpan.extend({
	trace_id: z.string(),
	state: runState,
	status_message: z.string(),
	...spanNumbers,
	...z.object(cumulativeNumbers).partial().shape,
	semantic: Semantic.optional(),
	attributes: attributes.optional(),
	content_digests: ContentDigests.optional(),
	...shownAnnotations,
}).meta({ id: "NarrowSpan" });

/** Parameter of the two views of one trace: a huge trace opens much faster without these sums. */
export const cumulativeParam = booleanParam
	.default(true)
	.describe("`false` leaves the `cumulative_*` fields out; they cost a walk over the whole trace.");

export const Span = z
	.object({
		id: z.string(),
		name: z.string(),
		context: z.object({ trace_id: z.string(), span_id: z.string() }),
		span_kind: z.string().describe("In the spelling that was sent, else what its convention means."),
		parent_id: z.string().nullable(),
		start_time: wireTime,
		end_time: wireTime,
		status_code: statusCode,
		status_message: z.string(),
		attributes,
		events: z.array(SpanEvent),
		state: runState,
		...spanNumbers,
		...cumulativeNumbers,
		semantic: Semantic.optional(),
		...shownAnnotations,
	})
	.meta({ id: "Span" });

export const SpanPage = filteredPageSchema(Span).meta({ id: "SpanPage" });

const described = { attributes, dropped_attributes_count: count, schema_url: z.string() };

/** A span with everything that was sent, and its meaning. */
export const SpanDetail = Span.extend({
	...z.object(cumulativeNumbers).partial().shape,
	project_id: z.string(),
	otel_kind: z.string(),
	links: z.array(
		z.object({ trace_id: z.string(), span_id: z.string(), trace_state: z.string(), attributes, flags: count }),
	),
	resource: z.object(described),
	scope: z.object({ name: z.string(), version: z.string(), ...described }),
	log_events: z.array(z.object({ event_name: z.string(), timestamp: wireTime, body: z.unknown(), attributes })),
	cost: z
		.object({
			total: z.number(),
			prompt: z.number().optional(),
			completion: z.number().optional(),
			cache_read: z.number().optional(),
			cache_write: z.number().optional(),
			reasoning: z.number().optional(),
			source: z.enum(["sent", "table"]),
		})
		.nullable(),
	semantic: Semantic,
	otlp: OtlpSpan,
}).meta({ id: "SpanDetail" });

export const SpanDetailAnswer = z.object({ data: SpanDetail }).meta({ id: "SpanDetailAnswer" });

/** `include=semantic`, repeatable or with commas. */
export function includeParam<const T extends readonly [string, ...string[]]>(values: T) {
	return z
		.preprocess(
			(value) =>
				value === undefined
					? undefined
					: (Array.isArray(value) ? value : [value]).flatMap((item) => String(item).split(",")),
			z.array(z.enum(values)),
		)
		.optional();
}

/** Filters that every list of spans takes. */
export const spanFilters = {
	start_time: timeParam.optional().describe("Inclusive, on the start of the span."),
	end_time: timeParam.optional().describe("Exclusive, on the start of the span."),
	trace_id: repeated(textParam),
	span_id: repeated(textParam),
	parent_id: textParam.optional().describe("`null` for spans without a parent id."),
	name: repeated(textParam).describe("Exact."),
	status_code: repeated(textParam).describe("OK, ERROR or UNSET, in any case."),
	attribute: repeated(textParam).describe("`key:value`, the value as JSON, else as text; all have to match."),
	error: booleanParam.optional(),
	min_latency_ms: latencyParam.optional(),
	max_latency_ms: latencyParam.optional(),
	user_id: repeated(textParam),
	session_id: repeated(textParam),
	model: repeated(textParam),
	q: searchParam
		.optional()
		.describe("All words occur in the span: its name, ids, attributes, events or status message."),
	filter: filterParam.optional(),
};

export const spanKindFilter = { span_kind: repeated(textParam).describe("LLM, CHAIN, TOOL and so on, in any case.") };
const sorted = {
	sort: sortParam(["id", "start_time", "latency_ms", "total_cost", "token_count_total", "status_code"])
		.default("id")
		.describe(
			"A field of the spans, `id` by arrival; `status_code` with those in error first if descending; those without a cost or tokens come last in either order. With `score.` and the name of annotations, only spans with such a score, by the mean.",
		),
	order: orderParam.default("desc"),
};

export const SpanListQuery = z.object({
	cursor: cursorParam,
	limit: limitParam(100),
	...sorted,
	...spanFilters,
	...spanKindFilter,
	include: includeParam(["semantic", "annotations"]),
	view: z
		.enum(["full", "summary"])
		.default("full")
		.describe("`summary` leaves attributes and events empty, which is quicker."),
});

export const OtlpSpanListQuery = z.object({
	cursor: cursorParam,
	limit: limitParam(100),
	...spanFilters,
	...spanKindFilter,
});

export const SpanExportQuery = z.object({
	...spanFilters,
	...spanKindFilter,
	order: orderParam.default("asc").describe("By arrival."),
	limit: countParam().optional().describe("At most so many spans; all without it."),
	include: includeParam(["semantic"]),
	format: z.enum(["rest", "otlp"]).default("rest").describe("Each line a Span, or an OtlpSpan."),
});
