import type { WritingContext } from "#context.ts";
import { evaluateRun, findRunsToEvaluate, type RunToEvaluate } from "./evaluate-run.ts";
import type { JobAtWork } from "./plan.ts";
import { type ExampleToRun, findExamplesToRun, runExample } from "./run-example.ts";
import type { TaskResult } from "./task-result.ts";
import type { TaskRow } from "./tasks.ts";

/** What tasks that were taken together need, by their row numbers. */
export interface Needed {
	readonly toRun: ReadonlyMap<number, ExampleToRun>;
	readonly toEvaluate: ReadonlyMap<number, RunToEvaluate>;
}

/** Reads what tasks of a job need, with as many statements as one of them takes. */
export async function findNeeded(context: WritingContext, job: JobAtWork, tasks: readonly TaskRow[]): Promise<Needed> {
	const { run: runs = [], evaluation: evaluations = [] } = Object.groupBy(tasks, ({ kind }) => kind);
	const nothing = new Map<number, never>();
	return {
		toRun: runs.length === 0 ? nothing : await findExamplesToRun(context.db.read, job.id, runs),
		toEvaluate: evaluations.length === 0 ? nothing : await findRunsToEvaluate(context, job, evaluations),
	};
}

/** @returns undefined when it was interrupted */
export async function doTask(
	context: WritingContext,
	{ task, job, needed }: { readonly task: TaskRow; readonly job: JobAtWork; readonly needed: Needed },
	signal: AbortSignal,
): Promise<TaskResult | undefined> {
	return task.kind === "run"
		? await runExample(context, { task, job, toRun: needed.toRun.get(task.id) }, signal)
		: await evaluateRun(context, { job, toEvaluate: needed.toEvaluate.get(task.id) }, signal);
}
