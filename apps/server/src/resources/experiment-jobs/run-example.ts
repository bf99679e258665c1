import type { Kysely, Selectable } from "kysely";
import type { WritingContext } from "#context.ts";
import { fromJsonText, objectFromJsonText, toJsonText } from "#http/json-values.ts";
import type { CallFailure, CallResult } from "#models/call-model.ts";
import { storedAnswer } from "#models/stored-answer.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { findExamples } from "../experiments/examples.ts";
import { jobBudget } from "./job-budget.ts";
import { messagesFor, type RunFault } from "./messages-for.ts";
import { outcomeOf } from "./outcome.ts";
import type { JobAtWork } from "./plan.ts";
import { gone, type TaskResult } from "./task-result.ts";
import type { TaskRow } from "./tasks.ts";

/** What a task runs. */
export interface ExampleToRun {
	readonly experiment: Pick<Selectable<Tables["experiments"]>, "id"> & {
		/** Of its variant. */
		readonly position: number;
		readonly project: { readonly id: number; readonly name: string };
	};
	readonly example: ExampleRow;
}

/** What tasks of a job run, of those of which it is all there, by row number of the task. */
export async function findExamplesToRun(
	db: Kysely<Tables>,
	jobId: number,
	tasks: readonly TaskRow[],
): Promise<ReadonlyMap<number, ExampleToRun>> {
	const byExperiment = Map.groupBy(tasks, ({ experiment_id: id }) => id);
	const experiments = await db
		.selectFrom("experiments")
		.innerJoin("experiment_job_experiments as of_job", "of_job.experiment_id", "experiments.id")
		.innerJoin("projects", "projects.id", "experiments.project_id")
		.selectAll("experiments")
		.select(["of_job.position", "projects.id as project_row", "projects.name as project_name"])
		.where("of_job.job_id", "=", jobId)
		.where("experiments.id", "in", listed([...byExperiment.keys()]))
		.execute();
	const found = new Map<number, ExampleToRun>();
	for (const experiment of experiments) {
		const ofExperiment = byExperiment.get(experiment.id) ?? [];
		const exampleIds = [...new Set(ofExperiment.map(({ example_id: id }) => id))];
		const examples = await findExamples(db, experiment, exampleIds);
		const { id, position } = experiment;
		const project = { id: experiment.project_row, name: experiment.project_name };
		for (const task of ofExperiment) {
			const example = examples.get(task.example_id);
			if (example !== undefined) found.set(task.id, { experiment: { id, position, project }, example });
		}
	}
	return found;
}

/** Runs one variant on one example. @returns undefined when it was interrupted */
export async function runExample(
	{ models, now }: Pick<WritingContext, "models" | "now">,
	{ task, job, toRun }: { readonly task: TaskRow; readonly job: JobAtWork; readonly toRun: ExampleToRun | undefined },
	signal: AbortSignal,
): Promise<TaskResult | undefined> {
	const variant = toRun && job.definition.variants[toRun.experiment.position];
	if (toRun === undefined || variant === undefined) return gone("Its experiment or project is gone.");
	const { experiment, example } = toRun;
	const use = {
		...{ purpose: "experiment" as const, isInteractive: false, isAdmin: job.isAdmin, project: experiment.project },
		budgets: [jobBudget(job)],
		...(variant.promptVersionId === undefined ? {} : { promptVersionId: variant.promptVersionId }),
	} as const;
	const start = now();
	const prepared = messagesFor(variant, job.definition, {
		input: objectFromJsonText(example.input),
		expected: objectFromJsonText(example.output),
		metadata: objectFromJsonText(example.metadata),
	});
	const called =
		"fault" in prepared ? prepared : await models.call(variant.connectionId, prepared.request, use, { signal });
	if (signal.aborted && "error" in called && called.error.code === "cancelled") return undefined;
	const { failed, ...outcome } = outcomeOf(called);
	if (outcome.pause !== undefined) return { ...outcome, end: { state: "ready" } };
	return {
		...outcome,
		end: failed === undefined ? { state: "done" } : { state: "failed", ...failed },
		run: {
			...{ experiment_id: experiment.id, example_id: task.example_id, repetition_number: task.repetition_number },
			...toOutput(called, variant.content.response_format),
			...{ start_micros: start, end_micros: now(), user_id: job.user_id },
		},
	};
}

/** What the run of an experiment keeps of an answer, or of a failure. */
function toOutput(called: CallResult | CallFailure | RunFault, format: unknown) {
	if ("fault" in called)
		return { output: "null", error: `${called.fault.code}: ${called.fault.error}`, trace_id: null };
	if ("error" in called) {
		const { error, trace } = called;
		return { output: "null", error: `${error.code}: ${error.message}`, trace_id: trace?.traceId ?? null };
	}
	const { answer, isCut } = storedAnswer(called.answer);
	const { text, tool_calls, finish_reason } = answer;
	const output = {
		text,
		...(tool_calls.length === 0 ? {} : { tool_calls }),
		...(format === undefined ? {} : { parsed: parsedOf(text) }),
		finish_reason,
		...(isCut ? { truncated: true } : {}),
	};
	return { output: toJsonText(output), error: null, trace_id: called.traceId };
}

/** Null where the text is no JSON. */
function parsedOf(text: string): unknown {
	try {
		return fromJsonText(text);
	} catch (error) {
		if (error instanceof SyntaxError) return null;
		throw error;
	}
}
