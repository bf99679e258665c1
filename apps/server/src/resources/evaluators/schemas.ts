import { z } from "zod";
import { EvaluationResult } from "#evaluation/evaluation-result.ts";
import { EvaluatorVersionBody, EvaluatorVersionDefinition } from "#evaluation/evaluator-version.ts";
import { Mapping, MappingByTarget, TARGET_KINDS } from "#evaluation/mapping.ts";
import { EvaluatorOutput } from "#evaluation/outputs.ts";
import { pageSchema } from "#http/cursors.ts";
import { identifierName } from "#http/identifier-names.ts";
import { jsonObject } from "#http/json-values.ts";
import { cursorParam, limitParam, searchParam } from "#http/query-params.ts";
import { storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { PromptMessage } from "#models/definition-schemas.ts";

const description = storedText(10_000).nullish();
const globalId = z.string().max(1_024);
const textField = z.string().min(1).max(1_024);
const kind = z.enum(["LLM", "CODE", "BUILT_IN"]);

export const ListedEvaluatorVersion = z
	.object({
		id: z.string(),
		evaluator_id: z.string(),
		number: z.int().describe("From 1, in the order in which versions were made."),
		template: z.string().nullable().describe("The template that it was made from."),
		version: EvaluatorVersionDefinition,
		user_id: z.string().nullable(),
		created_at: wireTime,
	})
	.meta({ id: "EvaluatorVersionOfEvaluator" });

export const Evaluator = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		kind: kind.describe("Of the newest version."),
		is_archived: z.boolean(),
		latest_version: z.object({ id: z.string(), number: z.int() }),
		outputs: z.array(z.string()).describe("The names of what the newest version gives."),
		user_id: z.string().nullable().describe("Who made it."),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "Evaluator" });

export const OneEvaluator = z.object({ data: Evaluator });
export const EvaluatorPage = pageSchema(Evaluator).meta({ id: "EvaluatorPage" });
export const OneEvaluatorVersion = z.object({ data: ListedEvaluatorVersion });
export const EvaluatorVersionPage = pageSchema(ListedEvaluatorVersion).meta({ id: "EvaluatorVersionPage" });

export const ListEvaluatorsQuery = z.object({
	name_contains: searchParam.optional().describe("Part of the name, in any case."),
	kind: kind.optional(),
	archived: z
		.enum(["true", "false"])
		.default("false")
		.describe("Whether those that are archived are listed, and no others."),
	cursor: cursorParam,
	limit: limitParam(100),
});

export const CreateEvaluatorBody = z
	.strictObject({
		name: identifierName,
		description,
		version: EvaluatorVersionBody,
		template: storedText(200).nullish().describe("Key of the template that the version was made from."),
	})
	.meta({ id: "CreateEvaluatorBody" });

export const UpdateEvaluatorBody = z
	.strictObject({
		name: identifierName.optional(),
		description,
		is_archived: z.boolean().optional(),
	})
	.refine((body) => Object.keys(body).length > 0, "there is nothing to change")
	.meta({ id: "UpdateEvaluatorBody" });

export const CreateEvaluatorVersionBody = z
	.strictObject({ version: EvaluatorVersionBody, template: storedText(200).nullish() })
	.meta({ id: "CreateEvaluatorVersionBody" });

export const EvaluatorUsage = z
	.object({
		datasets: z.array(z.object({ id: z.string(), name: z.string() })),
		jobs: z.array(z.object({ id: z.string(), name: z.string() })).describe("Experiment jobs that have not ended."),
		hidden: z.int().describe("Datasets that you do not see."),
	})
	.meta({ id: "EvaluatorUsage" });

const change = z.object({
	path: z.array(z.union([z.string(), z.int()])),
	kind: z.enum(["added", "removed", "changed"]),
	before: z.unknown(),
	after: z.unknown(),
});

export const EvaluatorVersionDiff = z
	.object({ id: z.string(), against: z.string(), is_equal: z.boolean(), changes: z.array(change) })
	.meta({ id: "EvaluatorVersionDiff" });

export const DatasetEvaluator = z
	.object({
		evaluator: Evaluator,
		version_id: z.string().nullable().describe("Null for the newest one, whichever that is."),
		mapping: Mapping.nullable(),
		run_automatically: z
			.boolean()
			.describe(
				"Whether it evaluates the runs of experiments that clients run, as they arrive, and those of each job that names none.",
			),
		updated_at: wireTime,
	})
	.meta({ id: "DatasetEvaluator" });

export const PutDatasetEvaluatorBody = z
	.strictObject({
		version_id: globalId.nullish().describe("The newest one, whichever that is, when absent."),
		mapping: Mapping.nullish().describe("Where its inputs come from; that of the version when absent."),
		run_automatically: z.boolean().default(true),
	})
	.meta({ id: "PutDatasetEvaluatorBody" });

const target = z.union([
	z.strictObject({ span_id: textField, project: textField.optional(), trace_id: textField.optional() }),
	z.strictObject({ trace_id: textField, project: textField.optional() }),
	z.strictObject({ session_id: textField, project: textField.optional() }),
	z.strictObject({ experiment_run_id: textField }),
	z.strictObject({ values: jsonObject.describe("The inputs themselves, by name.") }),
]);

export const EvaluateBody = z
	.strictObject({
		evaluator: textField.optional().describe("Id or name; its newest version."),
		evaluator_version_id: textField.optional(),
		version: EvaluatorVersionBody.optional().describe("One that is not stored, to be tried."),
		mapping: Mapping.optional().describe("Where its inputs come from; that of the version for what it does not name."),
		target: target.describe(
			"A span, trace or session, by global id or as the application names it; a run of an experiment; or values.",
		),
		annotate: z
			.boolean()
			.default(false)
			.describe("Whether the results become annotations of the target, or evaluations of the run."),
	})
	.superRefine(({ evaluator, evaluator_version_id, version, annotate, target }, context) => {
		const named = [evaluator, evaluator_version_id, version].filter((each) => each !== undefined);
		if (named.length !== 1) {
			const message = "name one of `evaluator`, `evaluator_version_id` and `version`";
			context.addIssue({ code: "custom", path: ["evaluator"], message });
		}
		if (!annotate) return;
		if ("values" in target) context.addIssue({ code: "custom", path: ["annotate"], message: "values are no target" });
		if (version !== undefined)
			context.addIssue({ code: "custom", path: ["annotate"], message: "save the version before it annotates" });
	})
	.meta({ id: "EvaluateBody" });

export const OneEvaluation = z.object({ data: EvaluationResult });

export const BuiltInEvaluator = z
	.object({
		key: z.string(),
		title: z.string(),
		description: z.string(),
		inputs: z.array(z.object({ name: z.string(), required: z.boolean(), description: z.string() })),
		output: EvaluatorOutput,
		parameters: z.record(z.string(), z.unknown()).describe("JSON Schema."),
	})
	.meta({ id: "BuiltInEvaluator" });

export const ListedEvaluatorTemplate = z
	.object({
		id: z.string().describe("Key and version, for `template` of an evaluator that is made from it."),
		key: z.string(),
		title: z.string(),
		description: z.string(),
		known_weaknesses: z.array(z.string()),
		targets: z.array(z.enum(TARGET_KINDS)).describe("What it can judge."),
		outputs: z.array(z.string()),
	})
	.meta({ id: "ListedEvaluatorTemplate" });

export const EvaluatorTemplate = ListedEvaluatorTemplate.extend({
	version: z
		.object({
			inputs: z.array(z.object({ name: z.string(), required: z.boolean(), description: z.string() })),
			outputs: z.array(EvaluatorOutput),
			mapping: MappingByTarget,
		})
		.describe("A version of kind LLM but for its `variant`, which the connection and `messages` make."),
	messages: z.array(PromptMessage),
	examples: z
		.array(z.object({ inputs: z.record(z.string(), z.unknown()), label: z.string() }))
		.describe("Labelled by hand, to see whether a model of yours judges alike."),
}).meta({ id: "EvaluatorTemplate" });
