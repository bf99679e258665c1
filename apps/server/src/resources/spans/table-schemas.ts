import { z } from "zod";
import { filterParam } from "#http/filter-param.ts";
import { booleanParam, countParam, MAX_PARAM_LENGTH, repeated, textParam } from "#http/query-params.ts";
import { timeParam } from "#http/wire-times.ts";
import { spanFilters, spanKindFilter } from "./schemas.ts";

/** How many columns one query may name. */
const MAX_NAMED = 200;
const text = z.string().max(MAX_PARAM_LENGTH);
const key = z.object({ key: text });
const named = <T extends z.ZodType>(value: T) =>
	z.record(text, value).refine((columns) => Object.keys(columns).length <= MAX_NAMED, {
		message: `A query may name at most ${MAX_NAMED} columns`,
	});
const itemKeys = named(text).nullish().describe("Column names and what they show of an item; all without it.");

const SpanTable = z
	.object({
		select: named(key.nullable())
			.nullish()
			.describe("Column names and what they show: a field of the span or an attribute."),
		filter: z.object({ condition: filterParam.nullish() }).nullish(),
		explode: key
			.extend({ kwargs: itemKeys, primary_index_key: text.nullish() })
			.nullish()
			.describe("A row for each item of a list, such as `retrieval.documents`."),
		concat: key
			.extend({ kwargs: itemKeys, separator: z.string().max(1_000).nullish() })
			.nullish()
			.describe("The texts of the items of a list in one."),
		rename: named(text).nullish(),
		index: key.nullish(),
	})
	.meta({ id: "SpanTableQuery" });

export type SpanTable = z.output<typeof SpanTable>;

export const SpanTablesBody = z
	.object({
		queries: z.array(SpanTable).max(10),
		start_time: timeParam.nullish().describe("Inclusive, on the start of the span."),
		end_time: timeParam.nullish().describe("Exclusive, on the start of the span."),
		stop_time: timeParam.nullish().describe("Older name of `end_time`."),
		limit: z.int().gt(0).nullish().describe("Spans of each table; 1,000 when absent."),
		root_spans_only: z.boolean().nullish(),
		orphan_span_as_root_span: z
			.boolean()
			.nullish()
			.describe("`root_spans_only` takes spans whose parent was never stored too, unless this is false."),
		project_name: text.nullish(),
	})
	.meta({ id: "SpanTablesBody" });

export type SpanTablesBody = z.output<typeof SpanTablesBody>;

/** Selects the spans and columns of a data frame. */
export const SpanFrameQuery = z.object({
	...spanFilters,
	...spanKindFilter,
	limit: countParam().optional().describe("At most so many spans, the newest; all without it."),
	root_spans_only: booleanParam
		.default(false)
		.describe("Only spans without a parent id, and those whose parent was never stored."),
	select: repeated(textParam).describe("Fields and attributes that are columns; all without it."),
});

export type SpanFrameQuery = z.output<typeof SpanFrameQuery>;
