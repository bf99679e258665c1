import type { Experiment, ExperimentExample, ExperimentRun, ExperimentRunRecord } from "../generated/api.ts";
import { Paged } from "../paged.ts";
import type { NewEvaluation, NewExperiment, NewRun } from "../resources/experiments.ts";
import { Spanward } from "../spanward.ts";
import { concurrently } from "./concurrently.ts";
import { type EvaluationResult, type Evaluator, type EvaluatorInput, toResult } from "./evaluators.ts";
import { drawProgress, type Progress } from "./progress.ts";
import { evaluateOnServer, type ServerEvaluator, sortEvaluators } from "./server-evaluators.ts";
import { openTracing, type RunTracing } from "./tracing.ts";
import { isPermanent, ResultsNotStoredError, store, storeResults, type UnstoredResult } from "./unstored.ts";

/** The task of an experiment, which is run on each example; returns any JSON. */
export type Task = (example: ExperimentExample) => unknown;

interface RunOptions {
	task: Task;
	/** Those of this program, and names of the server's: `server:correctness`. */
	evaluators?: readonly (Evaluator | ServerEvaluator)[];
	/** US dollars that the evaluators of the server may cost. */
	maxCost?: number;
	client?: Spanward;
	/** How many tasks, then evaluations, run at a time; default 5. */
	concurrency?: number;
	/** Trace tasks and evaluators, if `@spanward/otel` is installed; default true. */
	trace?: boolean;
	/** Called instead of drawing a bar on the terminal. */
	onProgress?: (progress: Progress) => void;
	signal?: AbortSignal;
}

export interface ExperimentOptions extends RunOptions, Omit<NewExperiment, "version_id"> {
	/** Id, name, or the dataset itself. */
	dataset: string | { readonly id: string };
	/** Default: the newest version. */
	versionId?: string;
	/**
	 * Tries the first example, or this number of them, without storing anything, and without the evaluators of the server;
	 * errors of task and evaluators are thrown.
	 */
	dryRun?: boolean | number;
}

export interface ResumeOptions extends RunOptions {
	experimentId: string;
}

export interface EvaluateOptions extends Omit<ResumeOptions, "task" | "evaluators"> {
	evaluators: readonly (Evaluator | ServerEvaluator)[];
}

export interface ExperimentResult {
	readonly experiment: Experiment;
	readonly runs: readonly ExperimentRunRecord[];
}

/** The results of a dry run, by example. */
export interface DryRun {
	readonly example: ExperimentExample;
	readonly output: unknown;
	readonly evaluations: readonly (EvaluationResult & { readonly name: string })[];
}

export interface DryRunResult {
	readonly experiment: null;
	readonly runs: readonly DryRun[];
}

/**
 * Runs an experiment on a dataset: runs the task on every example, stores the outputs, and runs every evaluator on them.
 * A task or evaluator that throws is recorded with its error, and the others continue; `resumeExperiment` repeats the
 * failed ones.
 * @throws ResultsNotStoredError at the end, with the results that the server did not accept, even after a retry
 * @throws JobNotDoneError when the server does not go on with its evaluators
 * @example
 * const { experiment } = await runExperiment({
 * 	dataset: "questions",
 * 	task: async ({ input }) => answer(input["question"]),
 * 	evaluators: [exactMatch],
 * });
 */
export async function runExperiment(options: ExperimentOptions & { dryRun: true | number }): Promise<DryRunResult>;
export async function runExperiment(options: ExperimentOptions & { dryRun?: false }): Promise<ExperimentResult>;
export async function runExperiment({
	dataset,
	versionId,
	dryRun = false,
	...options
}: ExperimentOptions): Promise<ExperimentResult | DryRunResult> {
	const { name, description, metadata, splits, repetitions } = options;
	const client = options.client ?? new Spanward();
	if (dryRun !== false) {
		const examples = await client.datasets.examples(await client.datasets.idOf(dataset), {
			...(versionId === undefined ? {} : { versionId }),
			...(splits == null ? {} : { splits }),
		});
		// The form of an experiment's examples.
		const tried = examples.slice(0, Number(dryRun)).map((example) => ({ ...example, source: null }));
		return { experiment: null, runs: await tryOut(tried, options) };
	}
	const experiment = await client.experiments.create(dataset, {
		...(versionId === undefined ? {} : { version_id: versionId }),
		...(name === undefined ? {} : { name }),
		...(description === undefined ? {} : { description }),
		...(metadata === undefined ? {} : { metadata }),
		...(splits === undefined ? {} : { splits }),
		...(repetitions === undefined ? {} : { repetitions }),
	});
	return await resumeExperiment({ ...options, client, experimentId: experiment.id });
}

/** Completes an experiment: executes its missing and failed runs, then the missing evaluations. */
export async function resumeExperiment({ experimentId, ...options }: ResumeOptions): Promise<ExperimentResult> {
	const client = options.client ?? new Spanward();
	const { evaluators = [], concurrency = 5 } = options;
	const experiment = await client.experiments.get(experimentId);
	await runTasks(client, experiment, { ...options, concurrency });
	return await evaluateExperiment({ ...options, client, experimentId, evaluators, concurrency });
}

/** Runs evaluators on the successful runs of an experiment that they have not judged yet. */
export async function evaluateExperiment({ experimentId, ...options }: EvaluateOptions): Promise<ExperimentResult> {
	const client = options.client ?? new Spanward();
	const { evaluators, concurrency = 5 } = options;
	const { own, ofServer } = sortEvaluators(evaluators);
	if (own.length > 0) await runEvaluators(client, experimentId, { ...options, evaluators: own, concurrency });
	if (ofServer.length > 0) {
		const { maxCost, signal, onProgress = drawProgress } = options;
		await evaluateOnServer(client, experimentId, { names: ofServer, maxCost, signal, onProgress });
	}
	const [finished, runs] = await Promise.all([
		client.experiments.get(experimentId),
		client.experiments.results(experimentId),
	]);
	return { experiment: finished, runs };
}

async function tryOut(
	examples: readonly ExperimentExample[],
	{ task, evaluators = [] }: Pick<RunOptions, "task" | "evaluators">,
): Promise<DryRun[]> {
	const runs: DryRun[] = [];
	for (const example of examples) {
		const output: unknown = await task(example);
		const input = toInput(example, output, null);
		const evaluations: (EvaluationResult & { name: string })[] = [];
		for (const { name, evaluate } of sortEvaluators(evaluators).own)
			evaluations.push({ ...toResult(await evaluate(input)), name });
		runs.push({ example, output, evaluations });
	}
	return runs;
}

type Running = Omit<RunOptions, "task" | "evaluators"> & { readonly concurrency: number };

async function runTasks(
	client: Spanward,
	experiment: Experiment,
	options: Running & Pick<RunOptions, "task">,
): Promise<void> {
	const { example_count: examples, repetitions, successful_run_count: done } = experiment;
	const advance = counter("tasks", examples * repetitions - done, options);
	await using tracing = await openTracing(client, experiment.project_name, options.trace ?? true);
	const missing = missingRuns(client, experiment.id);
	await storeAll(client, missing, options.concurrency, async ({ example, repetition }) => {
		options.signal?.throwIfAborted();
		const outcome = await attempt(tracing, "Task", "CHAIN", example.input, () => options.task(example));
		const body: NewRun = {
			dataset_example_id: example.node_id,
			output: outcome.value ?? null,
			repetition_number: repetition,
			start_time: outcome.start,
			end_time: outcome.end,
			trace_id: outcome.traceId,
			error: outcome.error,
		};
		advance(outcome.error !== null);
		const what = `example ${example.id}, repetition ${repetition}`;
		return { kind: "run", what, experimentId: experiment.id, body };
	});
}

async function runEvaluators(
	client: Spanward,
	experimentId: string,
	options: Running & { readonly evaluators: readonly Evaluator[] },
): Promise<void> {
	const byName = new Map(options.evaluators.map((evaluator) => [evaluator.name, evaluator]));
	const { successful_run_count: runs } = await client.experiments.get(experimentId);
	const advance = counter("evaluations", runs * byName.size, options);
	await using tracing = await openTracing(client, "evaluators", options.trace ?? true);
	const missing = missingEvaluations(client, experimentId, [...byName.keys()]);
	await storeAll(client, missing, options.concurrency, async ({ run, example, name }) => {
		options.signal?.throwIfAborted();
		const evaluator = byName.get(name);
		if (evaluator === undefined) return undefined;
		const input = toInput(example, run.output, run.trace_id);
		const title = `Evaluation: ${name}`;
		const outcome = await attempt(tracing, title, "EVALUATOR", input, async () =>
			toResult(await evaluator.evaluate(input)),
		);
		const body: NewEvaluation = {
			experiment_run_id: run.id,
			name,
			annotator_kind: evaluator.kind,
			start_time: outcome.start,
			end_time: outcome.end,
			trace_id: outcome.traceId,
			result: outcome.value ?? null,
			error: outcome.error,
		};
		advance(outcome.error !== null);
		const what = `${name} of example ${example.id}, repetition ${run.repetition_number}`;
		return { kind: "evaluation", what, body };
	});
}

/** Stores the results of `work` for each item; retries those that the server did not accept at the end. */
async function storeAll<T>(
	client: Spanward,
	items: AsyncIterable<T>,
	concurrency: number,
	work: (item: T) => Promise<Parameters<typeof store>[1] | undefined>,
): Promise<void> {
	const unstored: UnstoredResult[] = [];
	let failure: { readonly error: unknown } | undefined;
	try {
		await concurrently(items, concurrency, async (item) => {
			const result = await work(item);
			const left = result && (await store(client, result));
			if (left === undefined) return;
			unstored.push(left);
			if (isPermanent(left.error)) throw left.error;
		});
	} catch (error) {
		failure = { error };
	}
	if (unstored.some(({ error }) => isPermanent(error))) throw new ResultsNotStoredError(unstored);
	await storeResults(unstored, { client });
	if (failure !== undefined) throw failure.error;
}

function toInput(example: ExperimentExample, output: unknown, traceId: string | null): EvaluatorInput {
	return {
		input: example.input,
		output,
		expected: example.output,
		metadata: example.metadata,
		example,
		traceId,
	};
}

interface Outcome<T> {
	readonly value: T | undefined;
	readonly error: string | null;
	readonly traceId: string | null;
	/** ISO 8601 */
	readonly start: string;
	readonly end: string;
}

/** Runs a function of the user, whose error is a result, too. */
async function attempt<T>(
	tracing: RunTracing,
	name: string,
	kind: "CHAIN" | "EVALUATOR",
	input: unknown,
	work: () => T | Promise<T>,
): Promise<Outcome<T>> {
	const start = new Date().toISOString();
	let value: T | undefined;
	let error: string | null = null;
	const traceId = await tracing.run({ name, kind, input }, async () => {
		try {
			value = await work();
			return { output: value };
		} catch (thrown) {
			error = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
			return { error: thrown };
		}
	});
	return { value, error, traceId, start, end: new Date().toISOString() };
}

async function* missingRuns(
	client: Spanward,
	experimentId: string,
): AsyncGenerator<{ example: ExperimentExample; repetition: number }> {
	const items = new Paged((cursor) =>
		client.api.get("/v1/experiments/{experiment_id}/incomplete-runs", {
			path: { experiment_id: experimentId },
			query: { limit: 100, ...(cursor && { cursor }) },
		}),
	);
	for await (const { dataset_example: example, repetition_numbers: repetitions } of items) {
		for (const repetition of repetitions) yield { example, repetition };
	}
}

async function* missingEvaluations(
	client: Spanward,
	experimentId: string,
	names: string[],
): AsyncGenerator<{ run: ExperimentRun; example: ExperimentExample; name: string }> {
	const items = new Paged((cursor) =>
		client.api.get("/v1/experiments/{experiment_id}/incomplete-evaluations", {
			path: { experiment_id: experimentId },
			query: { evaluation_name: names, limit: 100, ...(cursor && { cursor }) },
		}),
	);
	for await (const { experiment_run: run, dataset_example: example, evaluation_names: missing } of items) {
		for (const name of missing) yield { run, example, name };
	}
}

function counter(phase: Progress["phase"], total: number, { onProgress = drawProgress }: Running) {
	let done = 0;
	let failed = 0;
	onProgress({ phase, done, failed, total });
	return (isFailure: boolean) => {
		done += 1;
		if (isFailure) failed += 1;
		onProgress({ phase, done, failed, total: Math.max(total, done) });
	};
}
