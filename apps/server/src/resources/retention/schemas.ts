import { z } from "zod";
import { refuseWith } from "#base/refuse-with.ts";
import { wireTime } from "#http/wire-times.ts";
import { projectName } from "../projects/schemas.ts";
import { cronProblem, DEFAULT_CRON } from "./cron.ts";

const MAX_DAYS = 36_500;
const MAX_TRACES = 1_000_000_000_000;

export const maxDays = z.number().gt(0).lte(MAX_DAYS).describe("Traces that started longer ago go; null for no limit.");
export const maxTraces = z
	.int()
	.gt(0)
	.lte(MAX_TRACES)
	.describe("Beyond so many the traces that started first go; null for no limit.");

const cron = z
	.string()
	.max(100)
	.superRefine(refuseWith(cronProblem))
	.describe("When it runs: minute, hour, day of the month, month, day of the week, in UTC.");

const keepAnnotated = z
	.boolean()
	.describe("Keep traces that have an annotation, or whose session, span or document has one.");

export const RetentionPolicy = z
	.object({
		id: z.string(),
		name: z.string(),
		cron: z.string(),
		max_days: z.number().nullable(),
		max_traces: z.int().nullable(),
		keep_annotated: z.boolean(),
		project_count: z.int().describe("Projects that have this policy."),
		next_run_at: wireTime.nullable().describe("Null where nothing is ever deleted."),
		last_run_at: wireTime.nullable(),
		created_at: wireTime.nullable().describe("Null for the default policy."),
		updated_at: wireTime.nullable().describe("Null for the default policy."),
	})
	.meta({ id: "RetentionPolicy" });

export const CreateRetentionPolicyBody = z
	.object({
		name: projectName,
		cron: cron.nullish().describe(`When it runs, in UTC; ${DEFAULT_CRON} when absent.`),
		max_days: maxDays.nullish(),
		max_traces: maxTraces.nullish(),
		keep_annotated: keepAnnotated.nullish().describe("False when absent."),
	})
	.meta({ id: "CreateRetentionPolicyBody" });

export const UpdateRetentionPolicyBody = z
	.object({
		name: projectName.optional(),
		cron: cron.optional(),
		max_days: maxDays.nullish(),
		max_traces: maxTraces.nullish(),
		keep_annotated: keepAnnotated.optional(),
	})
	.meta({ id: "UpdateRetentionPolicyBody" });

export const RetentionRun = z
	.object({
		id: z.string(),
		policy_id: z.string().describe("The policy may have been deleted since."),
		project_id: z.string().describe("The project may have been deleted since."),
		project_name: z.string(),
		started_at: wireTime,
		ended_at: wireTime.nullable().describe("Null while it runs, or waits for those before it."),
		deleted_traces: z.int(),
		kept_traces: z.int().describe("Would have gone but for their annotations."),
		error: z.string().nullable().describe("Why it ended early."),
	})
	.meta({ id: "RetentionRun" });

export const RetentionPreview = z
	.object({
		project_id: z.string(),
		max_days: z.number().nullable(),
		max_traces: z.int().nullable(),
		keep_annotated: z.boolean(),
		deleted_traces: z.int().describe("How many traces would go now."),
		kept_traces: z.int().describe("Would go but for their annotations."),
		remaining_traces: z.int().describe("Of the project, afterwards."),
		oldest: wireTime.nullable().describe("When the first of those that would go started."),
		newest: wireTime.nullable().describe("When the last of those that would go started."),
		traces: z
			.array(
				z.object({
					id: z.string(),
					trace_id: z.string(),
					root_name: z.string().nullable(),
					start_time: wireTime,
					span_count: z.int(),
				}),
			)
			.describe("The first of those that would go."),
	})
	.meta({ id: "RetentionPreview" });

export const ProjectRetention = z
	.object({
		project_id: z.string(),
		policy_id: z.string().nullable().describe("Null: the default policy."),
		policy: RetentionPolicy,
	})
	.meta({ id: "ProjectRetention" });

export const SetRetentionBody = z.object({
	policy_id: z.string().max(200).nullable().describe("Null, or the id of the default policy, for the default policy."),
});

export const RetentionAnswer = z.object({
	data: z.object({ project_id: z.string(), policy_id: z.string().nullable().describe("Null: the default policy.") }),
});
