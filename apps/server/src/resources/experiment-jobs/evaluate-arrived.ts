import type { Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRow } from "../experiments/queries.ts";
import type { RunRow } from "../experiments/runs.ts";
import { type JobDefinition, parseDefinition } from "./definition.ts";
import { resolveAttached } from "./resolve-evaluators.ts";
import { insertTasks } from "./tasks.ts";

type Run = Pick<RunRow, "example_id" | "repetition_number" | "error" | "user_id"> & { readonly id: number };

/**
 * Has the evaluators of a dataset that run automatically look at a run that a client has recorded. They do so in one job of
 * the experiment, which goes on with each further run, and keeps the versions that the evaluators had at its beginning.
 * @returns whether there is something to do
 */
export async function evaluateArrived(
	transaction: Transaction<Tables>,
	experiment: Pick<ExperimentRow, "id" | "name" | "dataset_id" | "dataset_version_id">,
	run: Run,
	now: number,
): Promise<boolean> {
	if (run.error !== null) return false;
	const job = await findJobOf(transaction, experiment.id);
	const evaluators = job?.definition.evaluators ?? (await resolveAttached(transaction, experiment.dataset_id));
	if (evaluators.length === 0) return false;
	const jobId =
		job?.id ??
		(await insertJobOf(transaction, experiment, {
			definition: { variants: [], evaluators, only: "missing", isAutomatic: true },
			userId: run.user_id,
			now,
		}));
	await insertTasks(
		transaction,
		evaluators.map((_, evaluator) => ({
			...{ job_id: jobId, experiment_id: experiment.id, kind: "evaluation", run_id: run.id, evaluator },
			...{ example_id: run.example_id, repetition_number: run.repetition_number },
		})),
	);
	await transaction
		.updateTable("experiment_jobs")
		.set({ state: "waiting", updated_at: now })
		.where("id", "=", jobId)
		.where("state", "=", "done")
		.execute();
	return true;
}

async function findJobOf(transaction: Transaction<Tables>, experimentId: number) {
	const rows = await transaction
		.selectFrom("experiment_jobs")
		.innerJoin("experiment_job_experiments as of_job", "of_job.job_id", "experiment_jobs.id")
		.select(["experiment_jobs.id", "experiment_jobs.definition"])
		.where("of_job.experiment_id", "=", experimentId)
		.where("experiment_jobs.kind", "=", "evaluate")
		.where("experiment_jobs.state", "not in", ["cancelled", "failed"])
		.execute();
	return rows
		.map(({ id, definition }) => ({ id, definition: parseDefinition(definition) }))
		.find(({ definition }) => definition.isAutomatic === true);
}

async function insertJobOf(
	transaction: Transaction<Tables>,
	experiment: Pick<ExperimentRow, "id" | "name" | "dataset_id" | "dataset_version_id">,
	job: { readonly definition: JobDefinition; readonly userId: number | null; readonly now: number },
): Promise<number> {
	const { id } = await transaction
		.insertInto("experiment_jobs")
		.values({
			...{ kind: "evaluate", name: experiment.name, state: "waiting", reason: null, error: null, revision: 0 },
			...{ dataset_id: experiment.dataset_id, dataset_version_id: experiment.dataset_version_id },
			...{ definition: JSON.stringify(job.definition), max_cost_nanos: null, total_runs: 0, principal: "{}" },
			...{ user_id: job.userId, created_at: job.now, updated_at: job.now },
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	await transaction
		.insertInto("experiment_job_experiments")
		.values({ job_id: id, experiment_id: experiment.id, position: 0 })
		.execute();
	return id;
}
