import { z } from "zod";
import { booleanParam, cursorParam, limitParam, orderParam, searchParam } from "#http/query-params.ts";
import { wireTime } from "#http/wire-times.ts";
import { PROJECT_ROLES } from "#storage/schema.ts";
import { includeParam } from "../spans/schemas.ts";

/** Names are texts without control characters, so that no list, log or path is confused by one. */
export const projectName = z
	.string()
	.min(1)
	.max(255)
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
	.regex(/^[^\u0000-\u001f\u007f]*$/, "String should have no control characters")
	.refine((name) => name.isWellFormed(), "the name has half of a surrogate pair");

const count = z.int();

const ProjectActivity = z
	.object({
		start_time: wireTime.describe("Start of the first of 24 whole hours; the last one is that of the answer."),
		span_counts: z.array(count).describe("Spans that start in each hour."),
		error_counts: z.array(count).describe("Those of them with an error."),
		token_count_total: count.describe("Of all these hours."),
		total_cost: z.number().describe("US dollars, of all these hours."),
		latency_ms: z
			.object({ p50: z.number(), p95: z.number() })
			.nullable()
			.describe("Of spans with an end in all these hours, within 5 %."),
		newest_trace_start_time: wireTime.nullable().describe("However long ago; null without traces."),
	})
	.meta({ id: "ProjectActivity" });

export const Project = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		created_at: wireTime,
		updated_at: wireTime,
		activity: ProjectActivity.optional().describe(
			"With `include=activity`: what the project did in the last 24 hours.",
		),
		access: z
			.enum(["open", "restricted"])
			.optional()
			.describe("With `include=access`: whether only those see it who were given a role there."),
		own_role: z.enum(PROJECT_ROLES).optional().describe("With `include=access`: what the caller may do there."),
	})
	.meta({ id: "Project" });

const projectSort = z.enum([
	"id",
	"name",
	"span_count",
	"error_rate",
	"token_count_total",
	"total_cost",
	"latency_p50",
	"latency_p95",
	"newest_trace_start_time",
]);
export type ProjectSort = z.output<typeof projectSort>;

export const ProjectListQuery = z.object({
	sort: projectSort
		.default("id")
		.describe(
			"`id` by creation, `name` by the alphabet in any case; the others by what the projects did in the last 24 hours, those without any last.",
		),
	order: orderParam.default("desc"),
	cursor: cursorParam,
	limit: limitParam(100),
	name_contains: searchParam.optional().describe("Part of the name, in any case."),
	include_experiment_projects: booleanParam.default(false).describe("Include projects created for experiments."),
	include_dataset_evaluator_projects: booleanParam.default(false),
	include: includeParam(["activity", "access"]).describe(
		"`activity`: what each project did in the last 24 hours; `access`: who sees it, and one's own role there.",
	),
});

export const ProjectQuery = z.object({
	include: includeParam(["access"]).describe("`access`: who sees the project, and one's own role there."),
});

export const CreateProjectBody = z.object({
	name: projectName,
	description: z.string().max(10_000).nullish(),
});

export const UpdateProjectBody = z.object({ description: z.string().max(10_000).nullish() });

export const MetricsPoint = z
	.object({
		start_time: wireTime.describe("Start of the bucket, aligned to UTC; the first and last bucket count whole."),
		group: z.string().nullable().describe("Value of `group_by`; null without one."),
		trace_count: count,
		span_count: count,
		running_count: count.describe("Spans without an end."),
		error_count: count,
		latency_ms: z
			.object({ p50: z.number(), p95: z.number(), p99: z.number() })
			.nullable()
			.describe("Of spans with an end, within 5 %."),
		token_count_prompt: count,
		token_count_completion: count,
		token_count_total: count,
		total_cost: z.number().describe("US dollars."),
	})
	.meta({ id: "MetricsPoint" });

export const Metrics = z
	.object({
		data: z.array(MetricsPoint),
		start_time: wireTime,
		end_time: wireTime,
		bucket: z.enum(["minute", "hour", "day"]),
	})
	.meta({ id: "Metrics" });

export const RowMetrics = z
	.object({
		data: z.array(MetricsPoint),
		bucket: z.enum(["minute", "hour", "day"]),
		read_from: wireTime.nullable().describe("Older rows were not read; null when all were."),
	})
	.meta({ id: "RowMetrics" });
