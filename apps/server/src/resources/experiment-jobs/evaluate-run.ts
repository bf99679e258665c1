import type { Kysely } from "kysely";
import type { WritingContext } from "#context.ts";
import { ContextTooLarge, type TargetContext } from "#evaluation/contexts/context.ts";
import { evaluate } from "#evaluation/evaluate.ts";
import type { Evaluation, EvaluationError } from "#evaluation/evaluation-result.ts";
import type { EvaluatorVersion } from "#evaluation/evaluator-version.ts";
import { type Mapping, mergeMappings } from "#evaluation/mapping.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toJsonText } from "#http/json-values.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { evaluationServices } from "../evaluators/evaluation-services.ts";
import { projectOfDataset } from "../evaluators/project-of-dataset.ts";
import { originOf, toEvaluationRow } from "../evaluators/results.ts";
import { parseVersion } from "../evaluators/to-evaluator.ts";
import type { NewEvaluation } from "../experiments/evaluations.ts";
import { findRunTargets, type RunTarget, runTargetContext } from "../experiments/run-target.ts";
import type { ProjectRow } from "../projects/queries.ts";
import { jobBudget } from "./job-budget.ts";
import { pauseFor } from "./outcome.ts";
import type { JobAtWork } from "./plan.ts";
import { gone, type TaskResult } from "./task-result.ts";
import type { TaskRow } from "./tasks.ts";

interface Version {
	/** Of the evaluator. */
	readonly name: string;
	/** Global id. */
	readonly id: string;
	readonly parsed: EvaluatorVersion;
}

type TracedIn = Pick<ProjectRow, "id" | "name">;

/** What a task evaluates, and by what. */
export interface RunToEvaluate {
	readonly version: Version;
	/** In place of that of the version. */
	readonly mapping: Mapping | undefined;
	readonly target: RunTarget;
	/** Gets the evaluator's trace. */
	readonly project: TracedIn;
}

/** What tasks of a job evaluate, of those of which it is all there, by row number of the task. */
export async function findRunsToEvaluate(
	context: Pick<WritingContext, "auth" | "db" | "now" | "traces">,
	{ definition }: JobAtWork,
	tasks: readonly TaskRow[],
): Promise<ReadonlyMap<number, RunToEvaluate>> {
	const { db, traces } = context;
	const used = (task: TaskRow) => (task.evaluator === null ? undefined : definition.evaluators[task.evaluator]);
	const versions = await findVersions(db.read, [...new Set(tasks.flatMap((task) => used(task)?.versionId ?? []))]);
	const runIds = [...new Set(tasks.flatMap(({ run_id: id }) => id ?? []))];
	const targets = await findRunTargets(db.read, traces, runIds);
	const projects = new Map<number, TracedIn>();
	for (const { datasetId } of targets.values()) {
		if (projects.has(datasetId)) continue;
		projects.set(datasetId, await projectOfDataset(context, datasetId, (work) => db.write(work)));
	}
	const found = new Map<number, RunToEvaluate>();
	for (const task of tasks) {
		const evaluator = used(task);
		const version = evaluator && versions.get(evaluator.versionId);
		const target = targets.get(task.run_id ?? 0);
		const project = target && projects.get(target.datasetId);
		if (version !== undefined && target !== undefined && project !== undefined)
			found.set(task.id, { version, mapping: evaluator?.mapping, target, project });
	}
	return found;
}

async function findVersions(db: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlyMap<number, Version>> {
	const rows = await db
		.selectFrom("evaluator_versions")
		.innerJoin("evaluators", "evaluators.id", "evaluator_versions.evaluator_id")
		.select(["evaluator_versions.id", "evaluators.name", "evaluator_versions.definition"])
		.where("evaluator_versions.id", "in", listed(ids))
		.execute();
	return new Map(
		rows.map(({ id, name, definition }) => [
			id,
			{ name, parsed: parseVersion(definition), id: encodeGlobalId("EvaluatorVersion", id) },
		]),
	);
}

/** Has one evaluator look at one run. @returns undefined when it was interrupted */
export async function evaluateRun(
	context: WritingContext,
	{ job, toEvaluate }: { readonly job: JobAtWork; readonly toEvaluate: RunToEvaluate | undefined },
	signal: AbortSignal,
): Promise<TaskResult | undefined> {
	if (toEvaluate === undefined) return gone("The run or the evaluator is gone.");
	const { version, mapping, target, project } = toEvaluate;
	const found = contextOf(target);
	if ("fault" in found)
		return { mayRepeat: false, end: { state: "failed", code: found.fault.code, error: found.fault.message } };
	const start = context.now();
	const services = evaluationServices(context, {
		...{ isAdmin: job.isAdmin, isInteractive: false, budgets: [jobBudget(job)], signal, project },
	});
	const evaluation = await evaluate(services, {
		...{ name: version.name, version: version.parsed, versionId: version.id },
		inputs: { mapping: mergeMappings(version.parsed.mapping?.run, mapping), context: found.context },
	});
	const { failure } = evaluation;
	if (signal.aborted && failure?.code === "cancelled") return undefined;
	const pause = failure && pauseFor(failure);
	if (pause !== undefined) return { mayRepeat: true, pause, end: { state: "ready" } };
	return {
		mayRepeat: failure?.isPassing !== false,
		end: failure === undefined ? { state: "done" } : { state: "failed", code: failure.code, error: failure.message },
		evaluations: evaluationsOf(evaluation, version, target.run.id, { start, end: context.now() }),
	};
}

function evaluationsOf(
	evaluation: Evaluation,
	version: Version,
	runId: number,
	{ start, end }: { readonly start: number; readonly end: number },
): readonly NewEvaluation[] {
	return version.parsed.outputs.flatMap(({ name }) => {
		const result = evaluation.outputs[name];
		if (result === undefined) return [];
		return {
			...{ run_id: runId, name, ...toEvaluationRow(result), trace_id: evaluation.traceId },
			annotator_kind: version.parsed.kind === "LLM" ? ("LLM" as const) : ("CODE" as const),
			metadata: toJsonText({ spanward: originOf(evaluation, version.id) }),
			...{ start_micros: start, end_micros: end },
		};
	});
}

function contextOf(target: RunTarget): { readonly context: TargetContext } | { readonly fault: EvaluationError } {
	try {
		return { context: runTargetContext(target) };
	} catch (error) {
		if (error instanceof ContextTooLarge) return { fault: { code: "too_large", message: error.message } };
		throw error;
	}
}
