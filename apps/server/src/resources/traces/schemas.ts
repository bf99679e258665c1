import { z } from "zod";
import { filteredPageSchema, filterParam } from "#http/filter-param.ts";
import {
	booleanParam,
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
import { allowWiderAccessField } from "../projects/homes.ts";
import { runState } from "../spans/run-state.ts";
import { includeParam, NarrowSpan, statusCode, TraceSpan } from "../spans/schemas.ts";

const count = z.int();

export const Trace = z
	.object({
		id: z.string(),
		trace_id: z.string().describe("32 hex digits, or the text that was sent in their place."),
		project_id: z.string(),
		start_time: wireTime,
		end_time: wireTime,
		state: runState,
		latency_ms: z.number().nullable().describe("Null while a span has no end."),
		token_count_prompt: count,
		token_count_completion: count,
		token_count_total: count,
		total_cost: z.number().nullable().describe("US dollars; null when no span has a known cost."),
		span_count: count,
		running_count: count.describe("Spans without an end."),
		error_count: count,
		root_name: z.string().nullable(),
		root_span_id: z.string().nullable(),
		root_span_kind: z.string(),
		root_status_code: statusCode,
		first_input: z.string().nullable().describe("Human text, cut to 2,000 characters."),
		last_output: z.string().nullable().describe("Human text, cut to 2,000 characters."),
		session_id: z.string().nullable(),
		user_id: z.string().nullable(),
		spans: z.array(TraceSpan).nullable().describe("By start time; null unless `include_spans`."),
		...shownAnnotations,
	})
	.meta({ id: "Trace" });

export const TracePage = filteredPageSchema(Trace).meta({ id: "TracePage" });

/** A trace with its spans, page by page. */
export const TraceWithSpans = z
	.object({
		data: Trace.omit({ spans: true }).extend({ spans: z.array(NarrowSpan).describe("By start time.") }),
		next_cursor: z.string().nullable(),
	})
	.meta({ id: "TraceWithSpans" });

/** Filters that every list of traces takes. */
export const traceFilters = {
	start_time: timeParam.optional(),
	end_time: timeParam.optional(),
	session_identifier: repeated(textParam).describe("Session ids or global ids."),
	session_id: repeated(textParam),
	error: booleanParam.optional().describe("With (true) or without (false) a span in error."),
	min_latency_ms: latencyParam.optional(),
	max_latency_ms: latencyParam.optional(),
	name: repeated(textParam).describe("Name of the root span, exact."),
	user_id: repeated(textParam),
	model: repeated(textParam).describe("Any span answered by one of these models."),
	q: searchParam
		.optional()
		.describe("All words occur in one span: its name, ids, attributes, events or status message."),
	filter: filterParam.optional(),
};

export const TraceListQuery = z.object({
	sort: sortParam(["start_time", "latency_ms", "total_cost", "token_count_total", "error_count", "span_count"])
		.default("start_time")
		.describe(
			"A field of the traces; those without a cost come last in either order. With `score.` and the name of annotations, only traces with such a score, of their own or of their root span, by the mean.",
		),
	order: orderParam.default("desc"),
	limit: limitParam(100),
	cursor: cursorParam,
	include_spans: booleanParam.default(false),
	include: includeParam(["annotations"]).describe("`annotations`: those of the trace and of its root span."),
	...traceFilters,
});

export const TransferTracesBody = z.object({
	trace_identifiers: z.array(textParam).min(1).max(1_000),
	destination_project_identifier: textParam,
	allow_wider_access: allowWiderAccessField,
});

export const TransferTracesAnswer = z
	.object({ data: z.object({ transferred_trace_count: count, destination_project_id: z.string() }) })
	.meta({ id: "TransferTracesAnswer" });
