import { z } from "zod";
import { filteredPageSchema, filterParam } from "#http/filter-param.ts";
import { limitParam, onlyParams, orderParam } from "#http/query-params.ts";
import { rangeParams } from "../analytics/schemas.ts";

export const END_USER_SORTS = [
	"cost_total",
	"last_seen",
	"first_seen",
	"traces",
	"sessions",
	"errors",
	"tokens_total",
	"latency_p95",
] as const;
export type EndUserSort = (typeof END_USER_SORTS)[number];

const RANGE = rangeParams("30d");

export const EndUsersQuery = onlyParams({
	...RANGE,
	q: z.string().max(1_000).optional().describe("Part of the id, in any case."),
	filter: filterParam.optional().describe("As in the list of traces."),
	sort: z.enum(END_USER_SORTS).default("cost_total"),
	order: orderParam.default("desc"),
	cursor: z
		.string()
		.max(1_024)
		.optional()
		.describe("`next_cursor` of the page before; the range is that of the first page."),
	limit: limitParam(100),
});

export const EndUserQuery = onlyParams({ ...RANGE, filter: EndUsersQuery.shape.filter });

export const EndUser = z
	.object({
		user_id: z.string(),
		first_seen: z.string().describe("Start of the first trace of all that are stored."),
		last_seen: z.string().nullable().describe("Start of the last trace in the range."),
		session_count: z.int(),
		trace_count: z.int(),
		error_count: z.int().describe("Traces with an error anywhere."),
		failed_count: z.int().describe("Traces whose root span failed."),
		tokens_prompt: z.number(),
		tokens_completion: z.number(),
		tokens_total: z.number(),
		cost_total: z.number().describe("US dollars."),
		latency_p95: z.number().nullable().describe("Milliseconds, within 5 %; null while all traces run."),
		scores: z
			.array(z.object({ name: z.string(), average: z.number(), count: z.int() }))
			.describe("Of annotations on the traces in the range and on their spans: the five most frequent names."),
		error_groups_open: z.int().describe("Open groups of errors with failures of this user in the range."),
	})
	.meta({ id: "EndUser" });

const reading = {
	is_partial: z.boolean().describe("Time was up before all traces of the range were read."),
	covered_start_time: z.string().nullable().describe("From then on everything was read."),
};

export const EndUserPage = filteredPageSchema(EndUser).extend({
	traces_without_user: z.int().describe("Traces of the range that fit and belong to nobody in the list."),
	...reading,
});

export const EndUserAnswer = z.object({ data: EndUser, ...reading });
