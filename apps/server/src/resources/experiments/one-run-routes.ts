import { z } from "zod";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText, objectFromJsonText } from "#http/json-values.ts";
import { booleanParam, onlyParams } from "#http/query-params.ts";
import { formatTime } from "#http/wire-times.ts";
import { findEvaluations, toEvaluation } from "./evaluations.ts";
import { findExamples } from "./examples.ts";
import { getExperiment } from "./queries.ts";
import { latencyMs } from "./records.ts";
import { listRunReviews, toRunReview } from "./run-reviews.ts";
import { enterRun, findRuns, runNotFound } from "./runs.ts";
import { OneExperimentRun } from "./schemas.ts";

const Query = onlyParams({
	judgements: booleanParam
		.default(true)
		.describe("Whether `evaluations` and `reviews` are in the answer, else they are null."),
});

/** One run with all that there is to see of it. */
export function oneRunRoutes(app: App, { db }: Context): void {
	app.get(
		"/v1/experiment_runs/:experiment_run_id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getExperimentRun",
				tags: ["experiments"],
				summary: "Fetch a run with its example, its evaluations, and what people answered about it in review queues",
				description:
					"Reviews are beside the evaluations: scores, comparisons, gates and downloads do not count them. Those of a blind queue are there once the item is done.",
				params: z.object({ experiment_run_id: z.string().max(300) }),
				querystring: Query,
				response: { 200: OneExperimentRun },
			},
		},
		async ({ actor, params, query }) => {
			const id = decodeGlobalId(params.experiment_run_id, "ExperimentRun");
			if (id === undefined || !(await enterRun(db.read, actor, id))) throw runNotFound();
			const [run] = await findRuns(db.read, [id]);
			if (run === undefined) throw runNotFound();
			const experiment = await getExperiment(db.read, actor, encodeGlobalId("Experiment", run.experiment_id));
			const examples = await findExamples(db.read, experiment, [run.example_id]);
			const example = present(examples.get(run.example_id), "the example of a run");
			const evaluations = query.judgements ? ((await findEvaluations(db.read, [id])).get(id) ?? []) : undefined;
			const reviews = query.judgements ? await listRunReviews(db.read, id) : undefined;
			return {
				data: {
					...{ id: encodeGlobalId("ExperimentRun", id), experiment_name: experiment.name },
					...{ experiment_id: encodeGlobalId("Experiment", experiment.id), project_name: experiment.project_name },
					dataset_id: encodeGlobalId("Dataset", experiment.dataset_id),
					dataset_example_id: encodeGlobalId("DatasetExample", run.example_id),
					...{ repetition_number: run.repetition_number, repetitions: experiment.repetitions },
					...{ input: objectFromJsonText(example.input), reference_output: objectFromJsonText(example.output) },
					metadata: objectFromJsonText(example.metadata),
					...{ output: fromJsonText(run.output), error: run.error, trace_id: run.trace_id },
					...{ latency_ms: latencyMs(run), start_time: formatTime(run.start_micros) },
					end_time: formatTime(run.end_micros),
					evaluations: evaluations?.map(toEvaluation) ?? null,
					reviews: reviews?.map(toRunReview) ?? null,
				},
			};
		},
	);
}
