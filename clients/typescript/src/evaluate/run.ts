import type { Evaluator } from "../experiments/evaluators.ts";
import { evaluateExperiment, resumeExperiment, type Task } from "../experiments/run-experiment.ts";
import { startEvaluation } from "../experiments/server-evaluators.ts";
import type { Experiment } from "../generated/api.ts";
import type { Spanward } from "../spanward.ts";
import type { NewExperimentArguments, RunArguments } from "./arguments.ts";
import { EXIT, ProgramFailure, usageFailure } from "./exit.ts";
import { gate } from "./gate.ts";
import { type Io, oneLine } from "./io.ts";
import { loadEvaluators, loadTask } from "./load.ts";
import { showProgress } from "./progress-lines.ts";
import { goOnWithJobs, startPrompt, waitForJobs } from "./server-jobs.ts";

/** Requirements that say how many failures there may be. */
const COUNTS_ERRORS = /^\s*errors\b/;

/** Runs an experiment, or goes on with one, and asks whether it passes. @returns the exit code */
export async function run(client: Spanward, io: Io, given: RunArguments): Promise<number> {
	const task = given.task === undefined ? undefined : await loadTask(given.task);
	const evaluators = await loadAll(given.files);
	const id = await start(client, given);
	const started = await client.experiments.get(id);
	const line = resumeLine(id, given.toResume);
	io.stderr.write(`Experiment ${oneLine(started.name)}: ${addressOf(client, started)}\n`);
	await carryOut(client, io, { given, id, task, evaluators }).catch((error: unknown) => {
		io.stderr.write(`What was recorded stays. To go on:\n  ${line}\n`);
		if (io.signal.aborted) throw new ProgramFailure(EXIT.notFinished, "Interrupted.");
		throw error;
	});
	const [experiment, runs] = await Promise.all([client.experiments.get(id), client.experiments.results(id)]);
	const failedEvaluations = runs.flatMap(({ annotations }) => annotations).filter(({ error }) => error !== null).length;
	const { failed_run_count: failedRuns } = experiment;
	const hasFailures = failedRuns + failedEvaluations > 0;
	if (hasFailures) {
		io.stderr.write(`${failedRuns} runs and ${failedEvaluations} evaluations failed. To do them again:\n  ${line}\n`);
	}
	if (given.requirements.length === 0) {
		io.stdout.write(given.isJson ? `${JSON.stringify(experiment)}\n` : `${summary(experiment)}\n`);
		return hasFailures ? EXIT.notFinished : EXIT.passed;
	}
	const code = await gate(client, experiment.id, io, given);
	const mayHaveFailures = given.requirements.some((requirement) => COUNTS_ERRORS.test(requirement));
	return code === EXIT.passed && hasFailures && !mayHaveFailures ? EXIT.notFinished : code;
}

async function loadAll(files: readonly string[]): Promise<Evaluator[]> {
	const evaluators: Evaluator[] = [];
	for (const file of files) evaluators.push(...(await loadEvaluators(file)));
	const twice = evaluators.find(({ name }, index) => evaluators.findIndex((other) => other.name === name) < index);
	if (twice !== undefined) throw usageFailure(`There are two evaluators ${twice.name}.`);
	return evaluators;
}

/** @returns the id of the experiment */
async function start(client: Spanward, given: RunArguments): Promise<string> {
	const { experiment } = given;
	if (typeof experiment === "string") return experiment;
	const { prompt } = experiment;
	if (prompt !== undefined) return await startPrompt(client, { ...experiment, prompt }, given);
	return (await createExperiment(client, experiment)).id;
}

interface Work {
	readonly given: RunArguments;
	readonly id: string;
	/** Undefined where the server does it. */
	readonly task: Task | undefined;
	readonly evaluators: readonly Evaluator[];
}

/** Does what is missing of an experiment: the tasks, then the evaluations, here and on the server. */
async function carryOut(client: Spanward, io: Io, { given, id, task, evaluators }: Work): Promise<void> {
	const options = {
		...{ client, experimentId: id, concurrency: given.concurrency, trace: given.isTraced, signal: io.signal },
		onProgress: showProgress(io),
	};
	if (task !== undefined) await resumeExperiment({ ...options, task });
	const isResumed = typeof given.experiment === "string";
	if (isResumed) await goOnWithJobs(client, id, given.maxCost);
	await waitForJobs(client, id, options);
	await evaluateExperiment({ ...options, evaluators });
	// The job of a prompt has its evaluators already.
	if (given.names.length === 0 || (!isResumed && task === undefined)) return;
	const evaluation = { names: given.names, maxCost: given.maxCost };
	await startEvaluation(client, id, evaluation);
	await waitForJobs(client, id, options);
}

async function createExperiment(client: Spanward, given: NewExperimentArguments): Promise<Experiment> {
	return await client.experiments.create(given.dataset, {
		repetitions: given.repetitions,
		...(given.versionId === undefined ? {} : { version_id: given.versionId }),
		...(given.splits.length === 0 ? {} : { splits: [...given.splits] }),
		...(given.name === undefined ? {} : { name: given.name }),
	});
}

function addressOf({ baseUrl }: Spanward, { id, dataset_id: dataset }: Experiment): string {
	return `${baseUrl}/datasets/${encodeURIComponent(dataset)}/compare?experiment=${encodeURIComponent(id)}`;
}

function summary({ successful_run_count: done, failed_run_count: failed, scores }: Experiment): string {
	const means = Object.entries(scores).map(([name, { mean }]) => `, ${oneLine(name)} ${Number(mean.toPrecision(6))}`);
	return `${done} runs${failed === 0 ? "" : `, ${failed} failed`}${means.join("")}`;
}

function resumeLine(experimentId: string, args: readonly string[]): string {
	return ["npx", "--no", "spanward-eval", "run", "--experiment", experimentId, ...args].map(quoted).join(" ");
}

/** As a shell takes it. */
function quoted(word: string): string {
	return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
