import { z } from "zod";
import { booleanParam, textParam } from "#http/query-params.ts";

const MAX_REQUIREMENTS = 50;
/** Characters of a requirement. */
const MAX_REQUIREMENT = 2_000;

export const GateQuery = z.object({
	require: z
		.preprocess(
			(value) => (typeof value === "string" ? [value] : value),
			z.array(z.string().max(MAX_REQUIREMENT)).min(1).max(MAX_REQUIREMENTS),
		)
		.describe(
			"What has to hold, such as `mean('correctness') >= 0.8`; given once for each requirement. Values: `mean('x')`, `lower('x')` (of the 95 % interval), `min('x')`, `share('x', 'label')`, `count('x')`, `errors`, `missing`, `latency_mean_ms`, `latency_p95_ms`, `cost_usd`; against the baseline `delta('x')`, `delta_lower('x')`, `regressed('x')`, `improved('x')`. Operators: `>=`, `>`, `<=`, `<`, `==`.",
		),
	baseline: textParam
		.optional()
		.describe("Id of an experiment on the same dataset, or `tag:` and the name of a tag of the dataset's experiments."),
	baseline_optional: booleanParam
		.default(false)
		.describe("Where the baseline is not there, requirements that need it are skipped, not failed."),
	allow_incomplete: booleanParam.default(false).describe("The experiment need not be finished."),
	format: z.enum(["json", "markdown", "junit"]).default("json"),
});

const GateExperiment = z.object({
	id: z.string(),
	name: z.string(),
	example_count: z.int(),
	repetitions: z.int(),
});

const RequirementOutcome = z.object({
	requirement: z.string(),
	outcome: z.enum(["passed", "failed", "skipped"]),
	reason: z
		.enum(["not_met", "no_value", "unknown_metric", "too_few", "no_baseline"])
		.nullable()
		.describe("Why it was not passed."),
	value: z.number().nullable(),
	count: z.int().nullable().describe("How many examples, or runs, the value is of."),
	confidence_interval: z.tuple([z.number(), z.number()]).nullable().describe("95 %."),
	message: z.string(),
});

const GateRegression = z.object({
	metric: z.string(),
	example_id: z.string(),
	external_id: z.string().nullable(),
	value: z.number(),
	baseline_value: z.number(),
	url: z.string(),
});

export const GateAnswer = z
	.object({
		// First, so that programs without a reader for JSON find it.
		passed: z.boolean(),
		problems: z
			.array(z.object({ code: z.enum(["incomplete", "no_baseline"]), message: z.string() }))
			.describe("Why it does not pass, besides the requirements."),
		url: z.string().describe("The page of the experiment, beside the baseline if there is one."),
		experiment: GateExperiment.extend({
			successful_run_count: z.int(),
			failed_run_count: z.int(),
			missing_run_count: z.int(),
		}),
		baseline: GateExperiment.nullable(),
		requirements: z.array(RequirementOutcome),
		regressions: z.array(GateRegression).describe("The ten examples that lost most against the baseline."),
	})
	.meta({ id: "ExperimentGate" });

export type Gate = z.output<typeof GateAnswer>;
