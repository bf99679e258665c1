import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import type { Compared, Counts } from "./compare.ts";
import { type EvaluationRow, toEvaluation } from "./evaluations.ts";
import { toExperimentExample } from "./examples.ts";
import { latencyMs } from "./records.ts";
import type { RunRow } from "./runs.ts";
import type { ComparedExperiment, Comparison, MetricSummary } from "./schemas.ts";
import type { ScoreTotals } from "./totals.ts";

type WireExperiment = z.output<typeof ComparedExperiment>;
type Scores = WireExperiment["scores"];

/** A row of a comparison: one example in all experiments. */
export function toComparedExample(
	example: ExampleRow,
	experiments: Compared,
	runs: readonly RunRow[],
	evaluations: ReadonlyMap<number, readonly EvaluationRow[]>,
): z.output<typeof Comparison>["data"][number] {
	const ofExperiment = experiments.map(({ id }) => {
		const own = runs.filter((run) => run.experiment_id === id);
		return { id, runs: own, scores: scoresOf(own.flatMap((run) => evaluations.get(run.id) ?? [])) };
	});
	const base = ofExperiment[0]?.scores ?? {};
	return {
		example: toExperimentExample(example),
		experiments: ofExperiment.map(({ id, runs, scores }) => ({
			experiment_id: encodeGlobalId("Experiment", id),
			runs: runs.map((run) => ({
				id: encodeGlobalId("ExperimentRun", run.id),
				repetition_number: run.repetition_number,
				output: fromJsonText(run.output),
				error: run.error,
				latency_ms: latencyMs(run),
				trace_id: run.trace_id,
				evaluations: (evaluations.get(run.id) ?? []).map(toEvaluation),
			})),
			scores,
			deltas: deltasOf(scores, base),
		})),
	};
}

function scoresOf(evaluations: readonly EvaluationRow[]): Scores {
	const scored = evaluations.flatMap(({ name, score }) => (score === null ? [] : [{ name, score }]));
	return Object.fromEntries(
		[...Map.groupBy(scored, ({ name }) => name)].map(([name, values]) => {
			const sum = values.reduce((total, { score }) => total + score, 0);
			return [name, { mean: sum / values.length, count: values.length }];
		}),
	);
}

function deltasOf(scores: Scores, base: Scores): Record<string, number> {
	return Object.fromEntries(
		Object.entries(scores).flatMap(([name, { mean }]) => {
			const before = Object.hasOwn(base, name) ? base[name] : undefined;
			return before === undefined ? [] : [[name, mean - before.mean]];
		}),
	);
}

/** An experiment's result for a metric, compared with the base. */
export function toMetricSummary(
	exampleCount: number,
	score: ScoreTotals | undefined,
	interval: [number, number] | undefined,
	counts: Counts = { compared: 0, higher: 0, lower: 0 },
	isMinimized: boolean,
): z.output<typeof MetricSummary> {
	const { compared, higher, lower } = counts;
	return {
		mean: score?.mean ?? null,
		count: score?.count ?? 0,
		standard_error: score?.standardError ?? null,
		confidence_interval: interval ?? null,
		improved: isMinimized ? lower : higher,
		regressed: isMinimized ? higher : lower,
		equal: compared - higher - lower,
		missing: exampleCount - compared,
	};
}
