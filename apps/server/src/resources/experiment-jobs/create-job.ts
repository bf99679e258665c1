import type { Kysely, Transaction } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { limitedSenderOf, userOf } from "#http/principal.ts";
import { toNanos } from "#models/ledger/money.ts";
import type { Tables } from "#storage/schema.ts";
import { getDataset } from "../datasets/queries.ts";
import { chooseExamples, createExperiment, unnamedExperiment } from "../experiments/create-experiment.ts";
import { type ExampleSet, examplesOfExperiment } from "../experiments/examples.ts";
import { getExperiment } from "../experiments/queries.ts";
import { writeOut } from "../playground/resolve-variants.ts";
import type { JobDefinition } from "./definition.ts";
import { assertRoomForJob, findJob, type JobRow } from "./jobs.ts";
import { resolveEvaluators } from "./resolve-evaluators.ts";
import { listRunsToEvaluate } from "./runs-to-evaluate.ts";
import { type CreateExperimentJobBody, MAX_EXAMPLES, MAX_RUNS } from "./schemas.ts";
import { insertTasks, type NewTask } from "./tasks.ts";

type Body = z.output<typeof CreateExperimentJobBody>;
type RunBody = Extract<Body, { kind: "run" }>;
type EvaluateBody = Extract<Body, { kind: "evaluate" }>;

/** What a job will do, read among what its author sees. */
export interface PlannedJob {
	readonly kind: Body["kind"];
	readonly name: string;
	readonly datasetId: number;
	readonly datasetVersionId: number;
	readonly definition: JobDefinition;
	readonly examples: ExampleSet;
	readonly repetitions: number;
	readonly totalRuns: number;
	readonly exampleCount: number;
	/** Of jobs that evaluate. */
	readonly runsToEvaluate: number;
	/** Makes what belongs to the job. */
	readonly fill: (transaction: Transaction<Tables>, jobId: number) => Promise<void>;
}

/**
 * Reads everything that a job is about, among what the actor sees, who enters the home of the dataset.
 * @throws UserError 404 for what is not there, 422 for what cannot be run
 */
export async function planJob(context: Context, actor: Actor, body: Body): Promise<PlannedJob> {
	return body.kind === "run" ? await planRuns(context, actor, body) : await planEvaluations(context, actor, body);
}

async function planRuns({ auth, db, now }: Context, actor: Actor, body: RunBody): Promise<PlannedJob> {
	const dataset = await getDataset(db.read, actor, body.dataset_id);
	const { example_count: count, ...examples } = await chooseExamples(db.read, dataset, {
		versionId: body.version_id ?? undefined,
		splits: body.splits ?? undefined,
	});
	const totalRuns = count * body.repetitions * body.variants.length;
	assertSize(count, totalRuns);
	const variants = await Promise.all(
		body.variants.map((variant, position) => writeOut(db.read, actor, variant, position)),
	);
	const definition: JobDefinition = {
		variants,
		evaluators: await resolveEvaluators(db.read, { datasetId: dataset.id, given: body.evaluators ?? undefined }),
		...(body.variables == null ? {} : { variables: body.variables }),
		...(body.append_messages == null ? {} : { append_messages: body.append_messages }),
	};
	const name = body.name ?? unnamedExperiment(dataset);
	const created = { user_id: userOf(actor.principal)?.id ?? null, created_at: now() };
	return {
		...{ kind: "run", name, definition, examples, totalRuns, exampleCount: count, runsToEvaluate: 0 },
		...{ datasetId: dataset.id, datasetVersionId: examples.dataset_version_id, repetitions: body.repetitions },
		async fill(transaction, jobId) {
			const experimentIds: number[] = [];
			for (const [position, given] of body.variants.entries()) {
				const { variables, append_messages } = body;
				const { id } = await createExperiment(transaction, auth, actor, {
					...{ ...examples, ...created, example_count: count, repetitions: body.repetitions },
					...{ description: null, metadata: "{}" },
					name: variants.length === 1 ? name : `${name} ${given.label ?? position + 1}`,
					task: JSON.stringify({ variant: given, variables, append_messages }),
				});
				await transaction
					.insertInto("experiment_job_experiments")
					.values({ job_id: jobId, experiment_id: id, position })
					.execute();
				experimentIds.push(id);
			}
			const ofExample = (example_id: number): NewTask[] =>
				Array.from({ length: body.repetitions }, (_, index) =>
					experimentIds.map((experiment_id) => ({
						...{ job_id: jobId, experiment_id, example_id, repetition_number: index + 1 },
						...{ kind: "run" as const, run_id: null, evaluator: null },
					})),
				).flat();
			const rows = await examplesOfExperiment(transaction, examples)
				.clearSelect()
				.select("revision.example_id as id")
				.orderBy("revision.example_id")
				.execute();
			await insertTasks(
				transaction,
				rows.flatMap(({ id }) => ofExample(id)),
			);
		},
	};
}

async function planEvaluations({ db }: Context, actor: Actor, body: EvaluateBody): Promise<PlannedJob> {
	const experiment = await getExperiment(db.read, actor, body.experiment_id);
	const evaluators = await resolveEvaluators(db.read, { datasetId: experiment.dataset_id, given: body.evaluators });
	return {
		...{ kind: "evaluate", name: experiment.name, examples: experiment, totalRuns: 0 },
		exampleCount: experiment.example_count,
		runsToEvaluate: await countRuns(db.read, experiment.id),
		...{ datasetId: experiment.dataset_id, datasetVersionId: experiment.dataset_version_id },
		...{ repetitions: experiment.repetitions, definition: { variants: [], evaluators, only: body.only } },
		async fill(transaction, jobId) {
			await transaction
				.insertInto("experiment_job_experiments")
				.values({ job_id: jobId, experiment_id: experiment.id, position: 0 })
				.execute();
			for (const [evaluator, { outputNames }] of evaluators.entries()) {
				const runs = await listRunsToEvaluate(transaction, experiment.id, {
					names: outputNames,
					only: body.only,
				});
				await insertTasks(
					transaction,
					runs.map(({ id, example_id, repetition_number }) => ({
						...{ job_id: jobId, experiment_id: experiment.id, example_id, repetition_number },
						...{ kind: "evaluation" as const, run_id: id, evaluator },
					})),
				);
			}
		},
	};
}

async function countRuns(db: Kysely<Tables>, experimentId: number): Promise<number> {
	const { count } = await db
		.selectFrom("experiment_runs")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("experiment_id", "=", experimentId)
		.where("error", "is", null)
		.executeTakeFirstOrThrow();
	return Number(count);
}

/** @throws UserError 422 `job_too_large` */
function assertSize(examples: number, runs: number): void {
	const tooMany =
		examples > MAX_EXAMPLES
			? `${examples} examples; a job has at most ${MAX_EXAMPLES}`
			: runs > MAX_RUNS
				? `${runs} runs; a job has at most ${MAX_RUNS}`
				: undefined;
	if (tooMany !== undefined)
		throw new UserError(
			422,
			"job_too_large",
			`This would be ${tooMany}: choose splits, or fewer variants or repetitions.`,
		);
	if (examples === 0) throw new UserError(422, "no_examples", "The version, or the splits, have no example to run on.");
}

/**
 * Stores a planned job with its experiments and tasks. Call `auth.rights.invalidate()` afterwards.
 * @throws UserError 409 when too many jobs are unfinished
 */
export async function insertJob(
	transaction: Transaction<Tables>,
	planned: PlannedJob,
	{ actor, maxCostUsd, now }: { readonly actor: Actor; readonly maxCostUsd: number | null; readonly now: number },
): Promise<JobRow> {
	await assertRoomForJob(transaction);
	const { id } = await transaction
		.insertInto("experiment_jobs")
		.values({
			...{ kind: planned.kind, name: planned.name, state: "waiting", reason: null, error: null, revision: 0 },
			...{ dataset_id: planned.datasetId, dataset_version_id: planned.datasetVersionId },
			definition: JSON.stringify(planned.definition),
			max_cost_nanos: maxCostUsd === null ? null : toNanos(maxCostUsd),
			total_runs: planned.totalRuns,
			principal: JSON.stringify(limitedSenderOf(actor.principal) ?? {}),
			user_id: userOf(actor.principal)?.id ?? null,
			...{ created_at: now, updated_at: now },
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	await planned.fill(transaction, id);
	const row = await findJob(transaction, id);
	if (row === undefined) throw new Error("a job that was just inserted is not there");
	return row;
}
