import { z } from "zod";
import { filterParam } from "#http/filter-param.ts";
import {
	booleanParam,
	countParam,
	limitParam,
	onlyParams,
	repeated,
	searchParam,
	textParam,
} from "#http/query-params.ts";
import { timeParam } from "#http/wire-times.ts";
import { ANNOTATOR_KINDS } from "#storage/schema.ts";
import { DISTRIBUTION_SCALES } from "#storage/traces/analytics/analytics-query.ts";
import { BUCKETS, COMPARISONS, NAMED_RANGES } from "./calendar.ts";

export const OF = ["spans", "traces", "sessions", "annotations", "errors", "spend", "ingest"] as const;
/** Lists that drill-downs lead to. */
export const LISTS = ["spans", "traces", "sessions"] as const;

/** Which time is asked about. @param otherwise the range when there are neither times nor a range */
export function rangeParams(otherwise: string) {
	return {
		start_time: timeParam.optional().describe("Inclusive."),
		end_time: timeParam.optional().describe("Exclusive; now when absent."),
		range: textParam
			.optional()
			.describe(
				`Instead of times: a number of minutes, hours or days up to now, such as \`15m\`, \`24h\` or \`7d\`, or ${NAMED_RANGES.join(", ")}. \`${otherwise}\` when there are no times either.`,
			),
		time_zone: textParam.default("UTC").describe("IANA name, in which days and hours begin."),
	};
}

export const question = {
	of: z.enum(OF).default("spans").describe("What is counted."),
	measure: repeated(textParam)
		.refine((measures) => measures === undefined || measures.length <= 8, "Input should have at most 8 measures")
		.describe(
			"Up to 8; `count` when absent, of spend `cost_total`, of ingest `accepted_spans`. `GET /v1/analytics/schema` lists them.",
		),
	group_by: repeated(textParam)
		.refine((groups) => groups === undefined || groups.length <= 2, "Input should have at most 2 groups")
		.describe("Up to 2. `GET /v1/analytics/schema` lists them."),
	filter: filterParam
		.optional()
		.describe(
			"As in the list of these rows; for annotations as in the list of spans, about the span, the root span of a trace or that of a session's first trace; for errors as in the list of spans.",
		),
	q: searchParam.optional().describe("Words that occur besides, as in the list of these rows."),
	annotation_name: repeated(textParam).describe("Of annotations those with one of these names."),
	annotator_kind: repeated(z.enum(ANNOTATOR_KINDS)).describe("Of annotations those by such annotators."),
	...rangeParams("24h"),
	bucket: z
		.enum(["none", "auto", ...BUCKETS])
		.default("none")
		.describe("`auto`: at most 120 buckets. Of spend `15_minutes` and more."),
	compare: z.enum(COMPARISONS).optional().describe("Adds the same of a time before, bucket by bucket."),
	sort: textParam
		.optional()
		.describe("A measure or `group`; `-` before it descends. The first measure, descending, when absent."),
	limit: limitParam(20).describe("Groups; others are added up. At most 100 with buckets."),
	distribution: textParam
		.optional()
		.describe(
			"Instead of measures and groups: how a number is spread, with a bucket in each stretch of time. `latency_ms`, `total_cost`, `token_count_total`, of annotations `score`, or `attributes['…']`.",
		),
	bins: countParam(100)
		.refine((bins) => bins >= 5, "Input should be greater than or equal to 5")
		.optional()
		.describe("Of the distribution at most so many, 5 to 100; 40 when absent."),
	scale: z
		.enum(DISTRIBUTION_SCALES)
		.optional()
		.describe("Of the bins; `linear` when absent for scores and attributes, else `log`."),
	strict: booleanParam.default(false).describe("Answers 503 where the answer would be incomplete."),
};

export const ProjectAnalyticsQuery = onlyParams(question);
export const AnalyticsQueryParams = onlyParams({
	...question,
	project: repeated(textParam)
		.refine((projects) => projects === undefined || projects.length <= 50, "Input should have at most 50 projects")
		.describe(
			"Names or ids; all that the caller may read when absent, without those made for experiments and evaluators.",
		),
});
export type Question = z.output<typeof ProjectAnalyticsQuery>;

const numberOrNull = z.number().nullable();
const Cells = z.object({
	totals: z.record(z.string(), numberOrNull),
	values: z
		.record(z.string(), z.array(numberOrNull))
		.describe("By bucket; null where a bucket was not read as a whole."),
});
const ComparedCells = Cells.extend({ previous: Cells.optional() });
const DrillDown = z
	.object({
		of: z.enum(LISTS),
		project: z.string().describe("Global id."),
		filter: z.string(),
		q: z.string().optional().describe("Words, for the parameter `q` of the list."),
		error_filter: z.string().describe("The same rows, those with an error."),
	})
	.meta({
		id: "AnalyticsDrillDown",
		description:
			"The list with this filter holds exactly the rows that were counted; for annotations, what they are about, for errors, their spans.",
	});
export const groupValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Series = ComparedCells.extend({
	group: z.array(z.object({ field: z.string(), value: groupValue, label: z.string() })),
	drill_down: DrillDown.nullable(),
});

const Distribution = z
	.object({
		of: z.string(),
		scale: z.enum(DISTRIBUTION_SCALES),
		bins: z
			.array(z.object({ start: z.number(), end: z.number() }))
			.describe("Ascending, each with its start and without its end, the last one with both."),
		totals: z.array(z.int()).describe("By bin."),
		values: z
			.array(z.array(z.int()).nullable())
			.describe("For each bucket the numbers by bin; null where it was not read as a whole."),
	})
	.meta({ id: "AnalyticsDistribution" });

export const Analytics = z
	.object({
		of: z.enum(OF),
		start_time: z.string(),
		end_time: z.string(),
		time_zone: z.string(),
		bucket: z.enum(["none", ...BUCKETS]),
		buckets: z.array(z.object({ start_time: z.string(), end_time: z.string() })),
		series: z.array(Series),
		others: ComparedCells.extend({ groups: z.int(), drill_down: z.null() }).nullable(),
		all: ComparedCells.extend({ drill_down: DrillDown.nullable() }),
		groups_total: z.int(),
		overlapping: z.boolean().describe("A row may be in several groups; `all` counts it once."),
		is_partial: z
			.boolean()
			.describe(
				"Time was up before all was read, or some errors of this time are still to be grouped, or what was spent then to be counted.",
			),
		covered_start_time: z
			.string()
			.nullable()
			.describe("From then on everything was read; null also where only errors are still to be grouped."),
		approximate: z
			.array(z.string())
			.describe("Measures within 5 %, and `too_many_distinct` where different values were too many to count."),
		source: z.enum(["totals", "rows"]),
		distribution: Distribution.optional().describe(
			"Present when it was asked for; `count` is of the rows that have the number.",
		),
		took_ms: z.int(),
	})
	.meta({ id: "Analytics" });

export const AnalyticsSchema = z
	.object({
		rows: z.array(
			z.object({
				of: z.enum(OF),
				measures: z.array(
					z.object({ name: z.string(), unit: z.string(), is_approximate: z.boolean(), description: z.string() }),
				),
				number_fields: z.array(z.string()).describe("What functions such as `avg(…)` take, beside attributes."),
				groups: z.array(z.object({ name: z.string(), description: z.string() })),
			}),
		),
		functions: z.array(z.string()),
		buckets: z.array(z.string()),
		ranges: z.array(z.string()),
		comparisons: z.array(z.string()),
	})
	.meta({ id: "AnalyticsSchema" });
