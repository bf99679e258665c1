import { z } from "zod";
import { filteredPageSchema, filterParam } from "#http/filter-param.ts";
import {
	booleanParam,
	cursorParam,
	limitParam,
	orderParam,
	repeated,
	searchParam,
	sortParam,
	textParam,
} from "#http/query-params.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { shownAnnotations } from "../annotations/schemas.ts";
import { runState } from "../spans/run-state.ts";
import { includeParam } from "../spans/schemas.ts";

const count = z.int();

export const Session = z
	.object({
		id: z.string(),
		session_id: z.string(),
		project_id: z.string(),
		user_id: z.string().nullable(),
		start_time: wireTime,
		end_time: wireTime,
		state: runState,
		latency_ms: z.number().describe("From the first start to the last end."),
		traces: z
			.array(z.object({ id: z.string(), trace_id: z.string(), start_time: wireTime, end_time: wireTime }))
			.describe("By start time."),
		trace_count: count,
		span_count: count,
		running_count: count.describe("Spans without an end."),
		error_count: count,
		token_count_prompt: count,
		token_count_completion: count,
		token_count_total: count,
		total_cost: z.number().nullable().describe("US dollars; null when no span has a known cost."),
		first_input: z.string().nullable(),
		last_output: z.string().nullable(),
		...shownAnnotations,
	})
	.meta({ id: "Session" });

export const SessionPage = filteredPageSchema(Session).meta({ id: "SessionPage" });

/** Filters that every list of sessions takes. */
export const sessionFilters = {
	start_time: timeParam.optional().describe("Inclusive, on the start of the session."),
	end_time: timeParam.optional().describe("Exclusive, on the start of the session."),
	user_id: repeated(textParam),
	error: booleanParam.optional(),
	q: searchParam.optional().describe("All words occur in one span of the session."),
	filter: filterParam.optional(),
};

export const SessionListQuery = z.object({
	cursor: cursorParam,
	limit: limitParam(100),
	sort: sortParam([
		"id",
		"start_time",
		"end_time",
		"trace_count",
		"span_count",
		"error_count",
		"token_count_total",
		"total_cost",
	])
		.default("id")
		.describe(
			"A field of the sessions, `id` by arrival; those without a cost come last in either order. With `score.` and the name of annotations, only sessions with such a score, by the mean.",
		),
	order: orderParam.default("asc"),
	...sessionFilters,
	include: includeParam(["annotations"]),
	include_traces: booleanParam.default(true).describe("False leaves `traces` empty."),
});

export const DeleteSessionsBody = z.object({ session_identifiers: z.array(textParam).max(1_000) });
