import { z } from "zod";
import { MAX_PARAM_LENGTH } from "../http/query-params.ts";
import { timeParam } from "../http/wire-times.ts";

/** A table is built in memory. */
const MAX_ROWS = 10_000;
const text = z.string().max(MAX_PARAM_LENGTH);

const SpanTable = z.object({
	select: z
		.record(text, z.object({ key: text }).nullable())
		.nullish()
		.describe("Column names and what they show."),
	filter: z.object({ condition: z.string().max(10_000).nullish() }).nullish(),
	rename: z.record(text, text).nullish(),
	index: z.object({ key: text }).nullish(),
	explode: z.unknown().optional(),
	concat: z.unknown().optional(),
});

export type SpanTable = z.output<typeof SpanTable>;

export const SpanTablesBody = z.object({
	queries: z.array(SpanTable).max(10),
	start_time: timeParam.nullish(),
	end_time: timeParam.nullish(),
	stop_time: timeParam.nullish().describe("Older name of `end_time`."),
	limit: z.int().gt(0).lte(MAX_ROWS).nullish(),
	root_spans_only: z.boolean().nullish(),
	orphan_span_as_root_span: z.boolean().nullish(),
	project_name: text.nullish(),
});

export type SpanTablesBody = z.output<typeof SpanTablesBody>;
