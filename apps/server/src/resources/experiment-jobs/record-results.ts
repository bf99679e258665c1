import type { Transaction } from "kysely";
import { objectFromJsonText } from "#http/json-values.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { type NewEvaluation, upsertEvaluations } from "../experiments/evaluations.ts";
import { upsertRuns } from "../experiments/runs.ts";
import type { JobAtWork } from "./plan.ts";
import type { TaskResult } from "./task-result.ts";
import { endTasks, insertTasks, type TaskRow } from "./tasks.ts";

/** A task with what came of it. */
export interface DoneTask {
	readonly task: TaskRow;
	readonly job: JobAtWork;
	readonly result: TaskResult;
}

/** Records how tasks ended and what came of them, of those that are not another's by now. */
export async function recordResults(
	transaction: Transaction<Tables>,
	done: readonly DoneTask[],
	at: { readonly holder: string; readonly now: number },
): Promise<void> {
	const held = await endTasks(
		transaction,
		done.map(({ task, result }) => ({ task, end: result.end })),
		at,
	);
	const ours = done.filter(({ task }) => held.has(task.id));
	await recordRuns(transaction, ours);
	await recordEvaluations(transaction, ours);
}

/** Keeps runs, and adds the tasks of their evaluators. */
async function recordRuns(transaction: Transaction<Tables>, done: readonly DoneTask[]): Promise<void> {
	const made = done.flatMap(({ task, job, result: { run } }) => (run === undefined ? [] : [{ task, job, run }]));
	if (made.length === 0) return;
	const ids = await upsertRuns(
		transaction,
		made.map(({ run }) => run),
	);
	await insertTasks(
		transaction,
		made.flatMap(({ task, job, run }, at) => {
			const runId = ids[at];
			// A twin of this task, on a server that was taken for dead, has recorded the run and added these.
			if (runId === undefined || run.error !== null) return [];
			return job.definition.evaluators.map((_, evaluator) => ({
				...{ job_id: job.id, experiment_id: run.experiment_id, kind: "evaluation" as const, run_id: runId, evaluator },
				...{ example_id: task.example_id, repetition_number: task.repetition_number },
			}));
		}),
	);
}

async function recordEvaluations(transaction: Transaction<Tables>, done: readonly DoneTask[]): Promise<void> {
	const made = done.flatMap(({ job, result: { evaluations = [] } }) =>
		evaluations.map((evaluation) => ({ job, evaluation })),
	);
	if (made.length === 0) return;
	const present = await transaction
		.selectFrom("experiment_evaluations")
		.select(["run_id", "name", "annotator_kind", "error", "metadata", "end_micros"])
		.where("run_id", "in", listed([...new Set(made.map(({ evaluation }) => evaluation.run_id))]))
		.execute();
	const byKey = new Map(present.map((row) => [keyOf(row), row]));
	const written = made.filter(({ job, evaluation }) => mayReplace(byKey.get(keyOf(evaluation)), job));
	if (written.length === 0) return;
	await upsertEvaluations(
		transaction,
		written.map(({ evaluation }) => evaluation),
	);
}

function keyOf({ run_id, name }: Pick<NewEvaluation, "run_id" | "name">): string {
	return `${run_id} ${name}`;
}

/**
 * Whether an evaluation may be written over: not one of a person, nor one that a client wrote after the job was started;
 * where only what is missing is wanted, none that succeeded.
 */
function mayReplace(
	present: Pick<NewEvaluation, "annotator_kind" | "error" | "metadata" | "end_micros"> | undefined,
	{ definition, created_at: createdAt }: JobAtWork,
): boolean {
	if (present === undefined) return true;
	if (present.annotator_kind === "HUMAN") return false;
	if (definition.only === "missing" && present.error === null) return false;
	const isOwn = "spanward" in objectFromJsonText(present.metadata);
	return isOwn || present.end_micros < createdAt;
}
