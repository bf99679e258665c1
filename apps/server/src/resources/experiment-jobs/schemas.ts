import { z } from "zod";
import { Mapping } from "#evaluation/mapping.ts";
import { pageSchema } from "#http/cursors.ts";
import { cursorParam, limitParam, repeated } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { Variant } from "#models/variant.ts";
import { JOB_STATES, PAUSE_REASONS } from "./jobs.ts";

/** Runs of a job, over its variants and repetitions. */
export const MAX_RUNS = 100_000;
export const MAX_EXAMPLES = 10_000;
/** Columns of a comparison. */
const MAX_VARIANTS = 6;
const MAX_EVALUATORS = 20;

const globalId = z.string().max(1_024);

const maxCost = z
	.number()
	.positive()
	.max(1e6)
	.nullish()
	.describe("US dollars; the job pauses before its calls could cost more. No limit of its own when absent.");

const GivenEvaluator = z.strictObject({
	evaluator_id: z.string().max(1_024).describe("Id or name."),
	version_id: globalId.nullish().describe("The newest version of now when absent."),
	mapping: Mapping.nullish().describe("Where its inputs come from; that of the version when absent."),
});
export type GivenEvaluator = z.output<typeof GivenEvaluator>;

const evaluators = z.array(GivenEvaluator).max(MAX_EVALUATORS);

const RunJob = z.strictObject({
	kind: z.literal("run"),
	dataset_id: globalId,
	version_id: globalId.nullish().describe("Of the dataset; its newest version when absent."),
	splits: z.array(z.string().max(1_024)).max(1_000).nullish().describe("Ids or names; every example when absent."),
	variants: z.array(Variant).min(1).max(MAX_VARIANTS).describe("Each becomes an experiment."),
	variables: Mapping.nullish().describe(
		"Where the variables of the templates come from: paths into `input`, `expected` and `metadata` of the example. The members of its input when absent.",
	),
	append_messages: storedText(1_000)
		.nullish()
		.describe("A path to messages of the example, such as `input.messages`, that follow those of the variant."),
	repetitions: z.int().min(1).max(1_000).default(1),
	evaluators: evaluators.nullish().describe("Those of the dataset that run automatically when absent."),
	name: storedName
		.nullish()
		.describe("Of the experiments, with the label of the variant; made from the dataset's when absent."),
	max_cost_usd: maxCost,
});

const EvaluateJob = z.strictObject({
	kind: z.literal("evaluate"),
	experiment_id: globalId,
	evaluators: evaluators.min(1),
	only: z
		.enum(["missing", "all"])
		.default("missing")
		.describe(
			"`missing`: runs that have no evaluation of that name. `all`: also replaces those of programs, but never those of people, nor those that a client wrote after the job was started.",
		),
	max_cost_usd: maxCost,
});

export const CreateExperimentJobBody = z.discriminatedUnion("kind", [RunJob, EvaluateJob]);

export const UpdateExperimentJobBody = z
	.strictObject({
		state: z.enum(["paused", "running"]).optional(),
		max_cost_usd: maxCost,
	})
	.refine((body) => Object.keys(body).length > 0, "state or max_cost_usd is required");

const counts = z.object({
	total: z.int(),
	done: z.int(),
	failed: z.int(),
	running: z.int(),
	skipped: z.int(),
	retried: z.int().describe("Begun more than once."),
});

export const ExperimentJob = z
	.object({
		id: z.string(),
		kind: z.enum(["run", "evaluate"]),
		name: z.string(),
		state: z.enum(JOB_STATES),
		reason: z
			.enum([...PAUSE_REASONS, "dataset_deleted"])
			.nullable()
			.describe("Why it is paused or has failed."),
		error: z.string().nullable().describe("The same in a sentence."),
		dataset_id: z.string(),
		dataset_version_id: z.string().nullable(),
		experiments: z.array(z.object({ id: z.string(), name: z.string() })).describe("In the order of the variants."),
		runs: counts,
		evaluations: counts.describe("They are added as the runs come."),
		cost_usd: z.number().describe("Spent so far, calls under way at their highest cost included."),
		max_cost_usd: z.number().nullable(),
		rest_usd: z
			.number()
			.nullable()
			.describe("What the rest will cost if it costs as much as what is done; null before."),
		minutes_left: z.number().nullable().describe("At the pace of the last minute; null while nothing ends."),
		user_id: z.string().nullable().describe("Who started it; null for nobody, and for accounts that are gone."),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ExperimentJob" });

export const OneExperimentJob = z.object({ data: ExperimentJob });
export const ExperimentJobPage = pageSchema(ExperimentJob).meta({ id: "ExperimentJobPage" });

export const ListExperimentJobsQuery = z.object({
	dataset_id: globalId.optional().describe("Only those of this dataset."),
	experiment_id: globalId.optional().describe("Only those of this experiment."),
	state: repeated(z.enum(JOB_STATES)).describe("Only those in one of these states."),
	cursor: cursorParam,
	limit: limitParam(100),
});

const range = z.object({ low: z.number(), high: z.number() });

export const ExperimentJobEstimate = z
	.object({
		examples: z.int(),
		runs: z.int(),
		evaluations: z.int(),
		tokens: range.describe("Input and output of all calls."),
		cost_usd: range.nullable().describe("Null where a model has no price."),
		unpriced_models: z
			.array(z.string())
			.describe("Models without a price. A job that has a limit of money pauses at their first call."),
		minutes: range,
		basis: z.string().describe("On what this rests, in a sentence."),
		problems: z
			.array(z.object({ variant: z.int(), message: z.string() }))
			.describe("What would make runs fail, as seen in the examples that were looked at, such as a missing variable."),
	})
	.meta({ id: "ExperimentJobEstimate" });

export const OneEstimate = z.object({ data: ExperimentJobEstimate });
