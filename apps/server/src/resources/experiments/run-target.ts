import { type Kysely, type Selectable, sql } from "kysely";
import type { TargetContext } from "#evaluation/contexts/context.ts";
import { runContext } from "#evaluation/contexts/run-context.ts";
import { fromJsonText, objectFromJsonText } from "#http/json-values.ts";
import { countThatFits } from "#http/page-size.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { findExampleBytes, findExamples } from "./examples.ts";
import { latencyMs } from "./records.ts";
import { findRuns, type RunRow } from "./runs.ts";

/** A run of an experiment with what evaluators look at. */
export interface RunTarget {
	readonly run: RunRow;
	readonly example: ExampleRow;
	readonly datasetId: number;
	/** Project in which the dataset lives; null is the library. */
	readonly home: number | null;
	/** Of the run's trace; null where that is not stored. */
	readonly tokens: number | null;
	/** Dollars. */
	readonly cost: number | null;
}

/** Undefined when the run, or its example, is gone. */
export async function findRunTarget(
	db: Kysely<Tables>,
	traces: Pick<TraceReader, "findTracesByTraceIds">,
	runId: number,
): Promise<RunTarget | undefined> {
	return (await findRunTargets(db, traces, [runId])).get(runId);
}

/** Those whose run and example are there, by row number of the run. */
export async function findRunTargets(
	db: Kysely<Tables>,
	traces: Pick<TraceReader, "findTracesByTraceIds">,
	runIds: readonly number[],
): Promise<ReadonlyMap<number, RunTarget>> {
	const runs = await findRuns(db, runIds);
	const experiments = await findExperiments(db, runs);
	const targets = new Map<number, RunTarget>();
	for (const { experiment, ofExperiment } of byExperiment(runs, experiments)) {
		const exampleIds = [...new Set(ofExperiment.map(({ example_id: id }) => id))];
		const examples = await findExamples(db, experiment, exampleIds);
		const spent = await findSpent(traces, experiment.project_id, ofExperiment);
		for (const run of ofExperiment) {
			const example = examples.get(run.example_id);
			if (example === undefined) continue;
			const { tokens = null, cost = null } = (run.trace_id !== null && spent.get(storedTraceId(run.trace_id))) || {};
			targets.set(run.id, { run, example, datasetId: experiment.dataset_id, home: experiment.home, tokens, cost });
		}
	}
	return targets;
}

/** How many of these runs, from the front, have no more than so many bytes with their examples; at least one. */
export async function countTargetsThatFit(
	db: Kysely<Tables>,
	runIds: readonly number[],
	maxBytes: number,
): Promise<number> {
	const runs = await db
		.selectFrom("experiment_runs")
		.select(["id", "experiment_id", "example_id", sql<number>`octet_length(output)`.as("bytes")])
		.where("id", "in", listed(runIds))
		.execute();
	const bytes = new Map<number, number>();
	for (const { experiment, ofExperiment } of byExperiment(runs, await findExperiments(db, runs))) {
		const exampleIds = [...new Set(ofExperiment.map(({ example_id: id }) => id))];
		const examples = await findExampleBytes(db, experiment, exampleIds);
		for (const run of ofExperiment) bytes.set(run.id, run.bytes + (examples.get(run.example_id) ?? 0));
	}
	return countThatFits(
		runIds.map((id) => ({ bytes: bytes.get(id) ?? 0 })),
		maxBytes,
	);
}

type ExperimentOfRun = Selectable<Tables["experiments"]> & { readonly home: number | null };

async function findExperiments(
	db: Kysely<Tables>,
	runs: readonly Pick<RunRow, "experiment_id">[],
): Promise<readonly ExperimentOfRun[]> {
	return await db
		.selectFrom("experiments")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.selectAll("experiments")
		.select("datasets.project_id as home")
		.where("experiments.id", "in", listed([...new Set(runs.map(({ experiment_id: id }) => id))]))
		.execute();
}

function byExperiment<Run extends Pick<RunRow, "experiment_id">>(
	runs: readonly Run[],
	experiments: readonly ExperimentOfRun[],
) {
	const byId = Map.groupBy(runs, ({ experiment_id: id }) => id);
	return experiments.map((experiment) => ({ experiment, ofExperiment: byId.get(experiment.id) ?? [] }));
}

/** What the traces of runs cost, by stored trace id. */
async function findSpent(
	traces: Pick<TraceReader, "findTracesByTraceIds">,
	projectId: number | null,
	runs: readonly RunRow[],
): Promise<ReadonlyMap<string, Pick<RunTarget, "tokens" | "cost">>> {
	const ids = runs.flatMap(({ trace_id: id }) => id ?? []);
	if (ids.length === 0 || projectId === null) return new Map();
	const found = await traces.findTracesByTraceIds(ids, projectId);
	return new Map(
		found.map(({ traceId, tokens, totalCost }) => [
			storedTraceId(traceId),
			{ tokens: tokens.prompt + tokens.completion, cost: totalCost ?? null },
		]),
	);
}

/** @throws ContextTooLarge */
export function runTargetContext({ run, example, tokens, cost }: RunTarget): TargetContext {
	return runContext({
		input: objectFromJsonText(example.input),
		expected: objectFromJsonText(example.output),
		metadata: objectFromJsonText(example.metadata),
		output: fromJsonText(run.output),
		run: { latency_ms: latencyMs(run), error: run.error, tokens, cost },
	});
}
