import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { identifierName } from "#http/identifier-names.ts";
import { jsonObject, storedJson, storedMetadata, wireObject } from "#http/json-values.ts";
import { countParam, cursorParam, limitParam, orderParam, repeated, sortParam, textParam } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";
import { parseTime, wireTime } from "#http/wire-times.ts";
import { ANNOTATOR_KINDS } from "#storage/schema.ts";

export const MAX_REPETITIONS = 1_000;
/** The most experiments in a comparison, including the base. */
export const MAX_COMPARED = 5;

const annotatorKind = z.enum(ANNOTATOR_KINDS);
const globalId = z.string().max(1_024);
const description = storedText(10_000).nullish();
const traceId = storedText(1_000).nullish();
const failure = storedText(100_000).nullish();

/** A time of a body, as microseconds since 1970; a naive one is read as UTC. */
const time = z
	.union([z.string(), z.number()])
	.meta({ type: "string", format: "date-time" })
	.transform((value, context) => {
		const micros = parseTime(String(value).trim())?.micros;
		if (micros !== undefined && micros >= 0 && Number.isSafeInteger(micros)) return micros;
		const [type, message] =
			micros === undefined
				? ["datetime_from_date_parsing", "Input should be a valid datetime or date"]
				: ["datetime_out_of_range", "Input should be a time from 1970 to 2255"];
		context.addIssue({ code: "custom", params: { type }, message });
		return z.NEVER;
	});

const Score = z
	.object({
		mean: z.number().describe("Of the means of the examples, so that each example counts alike."),
		count: z.int().describe("Examples that have the score."),
		standard_error: z.number().nullable().describe("Of the mean; null for a single example."),
	})
	.meta({ id: "ExperimentScore" });

export const Experiment = z
	.object({
		id: z.string(),
		dataset_id: z.string(),
		dataset_version_id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		repetitions: z.int(),
		metadata: wireObject,
		project_name: z.string().nullable().describe("Where the spans of its tasks go; null when the project was deleted."),
		created_at: wireTime,
		updated_at: wireTime,
		example_count: z.int(),
		successful_run_count: z.int(),
		failed_run_count: z.int(),
		missing_run_count: z.int().describe("Repetitions of examples that have no run."),
		user_id: z.string().nullable().describe("Who made it."),
		tags: z.array(z.string()).describe("Names of the tags that are on this experiment."),
		scores: z.record(z.string(), Score).describe("By the evaluations' name; of at most 100 names."),
		average_latency_ms: z.number().nullable().describe("Of all runs, also those that failed."),
		error_rate: z.number().nullable().describe("The part of the runs that failed, 0 to 1."),
		total_cost: z.number().nullable().describe("US dollars, of all traces of its project; null when nothing is known."),
		total_tokens: z.number().describe("Of all traces of its project."),
		task: wireObject
			.nullable()
			.describe("What the server ran: `variant`, `variables` and `append_messages` of its job; null for others."),
	})
	.meta({ id: "Experiment" });

export const OneExperiment = z.object({ data: Experiment });
export const ExperimentPage = pageSchema(Experiment).meta({ id: "ExperimentPage" });

export const CreateExperimentBody = z.object({
	name: storedName.nullish().describe("The first 8 characters of the dataset's name and a random end when absent."),
	description,
	metadata: storedMetadata.nullish(),
	version_id: globalId.nullish().describe("The dataset's newest version when absent."),
	splits: z.array(z.string().max(1_024)).max(1_000).nullish().describe("Ids or names; every example when absent."),
	repetitions: z.int().gte(1).lte(MAX_REPETITIONS).default(1).describe("1 when absent."),
});

export const UpdateExperimentBody = z.object({
	name: storedName.optional(),
	description,
	metadata: storedMetadata.optional(),
});

export const ListExperimentsQuery = z.object({
	sort: sortParam(["id", "average_latency_ms", "error_rate", "total_cost", "total_tokens"])
		.default("id")
		.describe(
			"A field of the experiments, `id` by creation, or `score.` and the name of a score, by its mean; experiments without one come last in either order.",
		),
	order: orderParam.default("desc"),
	cursor: cursorParam,
	limit: limitParam(50),
});
export type ExperimentSort = z.output<typeof ListExperimentsQuery>["sort"];

export const ListAllExperimentsQuery = ListExperimentsQuery.extend({
	dataset_id: globalId.optional().describe("Only those of this dataset."),
});

export const ExperimentRun = z
	.object({
		id: z.string(),
		experiment_id: z.string(),
		dataset_example_id: z.string(),
		output: z.unknown().describe("Any JSON."),
		repetition_number: z.int(),
		start_time: wireTime,
		end_time: wireTime,
		trace_id: z.string().nullable(),
		error: z.string().nullable(),
	})
	.meta({ id: "ExperimentRun" });

export const CreateExperimentRunBody = z.object({
	dataset_example_id: globalId,
	output: storedJson.describe("Any JSON."),
	repetition_number: z.int().gte(1).describe("From 1 to the experiment's `repetitions`."),
	start_time: time,
	end_time: time,
	trace_id: traceId,
	error: failure.describe("Why the task failed; null for a successful run."),
});

export const CreatedId = z.object({ data: z.object({ id: z.string() }) });

export const ListRunsQuery = z.object({
	cursor: cursorParam,
	limit: countParam(1_000).optional().describe("Every run when absent."),
});

export const ExperimentRunPage = pageSchema(ExperimentRun).meta({ id: "ExperimentRunPage" });

const IncompleteExample = z
	.object({
		id: z.string(),
		node_id: z.string(),
		input: wireObject,
		output: wireObject,
		metadata: wireObject,
		updated_at: wireTime,
		source: z.null(),
	})
	.meta({ id: "ExperimentExample" });

export const IncompleteRunPage = pageSchema(
	z.object({
		dataset_example: IncompleteExample,
		repetition_numbers: z.array(z.int()).describe("Those that have no run, or one that failed."),
	}),
).meta({ id: "IncompleteRunPage" });

export const IncompleteEvaluationsQuery = z.object({
	cursor: cursorParam,
	limit: limitParam(50),
	evaluation_name: repeated(textParam).describe("At least one."),
});

export const IncompleteEvaluationPage = pageSchema(
	z.object({
		experiment_run: ExperimentRun,
		dataset_example: IncompleteExample,
		evaluation_names: z.array(z.string()).describe("Those that the run has no successful evaluation of."),
	}),
).meta({ id: "IncompleteEvaluationPage" });

export const UpsertEvaluationBody = z
	.object({
		experiment_run_id: globalId,
		name: storedName,
		annotator_kind: annotatorKind,
		start_time: time,
		end_time: time,
		result: z
			.object({
				label: storedText(1_000).nullish(),
				score: z.preprocess((value) => (typeof value === "bigint" ? Number(value) : value), z.number().nullish()),
				explanation: storedText(100_000).nullish(),
				metadata: jsonObject.nullish().describe("Its members replace those of the evaluation's `metadata`."),
			})
			.nullish(),
		error: failure,
		metadata: jsonObject.nullish(),
		trace_id: traceId,
	})
	.refine(({ result, error }) => (result ?? error ?? undefined) !== undefined, "either result or error is required");

export const ExperimentTag = z
	.object({ id: z.string(), name: z.string(), description: z.string().nullable() })
	.meta({ id: "ExperimentTag" });

export const SetExperimentTagBody = z.object({ name: identifierName, description });

export const RunEvaluation = z
	.object({
		name: z.string(),
		annotator_kind: annotatorKind,
		label: z.string().nullable(),
		score: z.number().nullable(),
		explanation: z.string().nullable(),
		trace_id: z.string().nullable(),
		error: z.string().nullable(),
		metadata: wireObject,
		start_time: wireTime,
		end_time: wireTime,
	})
	.meta({ id: "ExperimentRunEvaluation" });

export const RunReview = z
	.object({
		name: z.string(),
		label: z.string().nullable(),
		score: z.number().nullable(),
		explanation: z.string().nullable(),
		identifier: z.string(),
		queue_id: z.string().describe("Of the review queue, which may be gone."),
		is_decision: z.boolean().describe("What an adjudicator decided: the answer that counts."),
		user_id: z.string().nullable(),
		username: z.string().nullable(),
		source: z.enum(["API", "APP"]),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ExperimentRunReview" });

export const OneExperimentRun = z.object({
	data: z
		.object({
			id: z.string(),
			experiment_id: z.string(),
			experiment_name: z.string(),
			dataset_id: z.string(),
			dataset_example_id: z.string(),
			repetition_number: z.int(),
			repetitions: z.int().describe("Of the experiment."),
			input: wireObject,
			reference_output: wireObject,
			metadata: wireObject.describe("Of the example."),
			output: z.unknown().describe("Any JSON."),
			error: z.string().nullable(),
			latency_ms: z.number(),
			start_time: wireTime,
			end_time: wireTime,
			trace_id: z.string().nullable(),
			project_name: z.string().nullable().describe("Of the project that has the trace, if the caller sees it."),
			evaluations: z.array(RunEvaluation).nullable(),
			reviews: z.array(RunReview).nullable().describe("The decisions of adjudicators first."),
		})
		.meta({ id: "ExperimentRunDetails" }),
});

/** An element of the download. */
export const ExperimentRunRecord = z
	.object({
		example_id: z.string(),
		repetition_number: z.int(),
		input: wireObject,
		reference_output: wireObject,
		output: z.unknown(),
		error: z.string().nullable(),
		latency_ms: z.number(),
		start_time: wireTime,
		end_time: wireTime,
		trace_id: z.string().nullable(),
		prompt_token_count: z.number().nullable(),
		completion_token_count: z.number().nullable(),
		annotations: z.array(RunEvaluation),
	})
	.meta({ id: "ExperimentRunRecord" });

export const CompareQuery = z.object({
	experiment_id: z
		.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(globalId).min(1).max(MAX_COMPARED))
		.describe(`Up to ${MAX_COMPARED}; the first is the base that the others are compared with.`),
	sort: z
		.enum(["example", "regression"])
		.default("example")
		.describe("`regression`: the example with the largest loss against the base comes first."),
	metric: textParam
		.optional()
		.describe("The evaluations' name that `sort=regression` looks at; the base's first when absent."),
	cursor: cursorParam,
	limit: limitParam(50),
});

const number = z.number();

const ComparedRun = z.object({
	id: z.string(),
	repetition_number: z.int(),
	output: z.unknown(),
	error: z.string().nullable(),
	latency_ms: number,
	trace_id: z.string().nullable(),
	evaluations: z.array(RunEvaluation),
});

export const ComparedExperiment = z.object({
	experiment_id: z.string(),
	runs: z.array(ComparedRun).describe("One for each repetition."),
	scores: z.record(z.string(), z.object({ mean: number, count: z.int() })).describe("Over the repetitions."),
	deltas: z.record(z.string(), number).describe("The mean less the base's, of metrics that both have."),
});

export const MetricSummary = z.object({
	mean: number.nullable().describe("Of the means of the examples."),
	count: z.int().describe("Examples that have the metric."),
	standard_error: number.nullable(),
	confidence_interval: z
		.tuple([number, number])
		.nullable()
		.describe(
			"95 %, over the examples, within the lowest and highest score (0 and 1 for scores that are only those); null for fewer than ten.",
		),
	improved: z.int().describe("Examples that are better than in the base."),
	regressed: z.int().describe("Examples that are worse than in the base."),
	equal: z.int(),
	missing: z.int().describe("Examples that lack the metric here or in the base."),
});

export const Comparison = z
	.object({
		data: z.array(z.object({ example: IncompleteExample, experiments: z.array(ComparedExperiment) })),
		summary: z
			.array(z.object({ experiment_id: z.string(), metrics: z.record(z.string(), MetricSummary) }))
			.describe("Over all examples, not only those of the page."),
		next_cursor: z.string().nullable(),
	})
	.meta({ id: "ExperimentComparison" });
