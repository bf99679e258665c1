import { suggest } from "@spanward/filter-language";
import type { Kysely } from "kysely";
import { pairedInterval } from "#base/statistics/paired-interval.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { type Counts, countDifferences } from "../compare.ts";
import { confidenceInterval, FEWEST_FOR_INTERVAL, needsScores } from "../confidence-interval.ts";
import type { ExperimentRow } from "../queries.ts";
import { type ExperimentTotals, exampleMeans, findTotals, type ScoreTotals, scoreTotals } from "../totals.ts";
import {
	type Coverage,
	differencesOf,
	evaluationCoverage,
	labelShares,
	latencyQuantile,
	type Pair,
	someLabels,
} from "./gate-queries.ts";
import type { Quantity } from "./parse-requirement.ts";

const P95 = 0.95;
/** Of the names that a message lists. */
const MOST_LISTED = 20;

/** Why there is nothing to compare with a bound. */
export type NoValue = "no_baseline" | "unknown_metric" | "too_few" | "no_value";

export interface Value {
	readonly value: number;
	/** How many examples, or runs, it is of. */
	readonly count: number;
	readonly interval?: readonly [number, number] | undefined;
	/** Something that whoever wrote the requirement should know. */
	readonly note?: string;
}

export type Measured = Value | { readonly reason: NoValue; readonly message: string };

/** What is known of the experiment as a whole, and what of it is read when a requirement asks for it. */
export interface Measures {
	readonly totals: ExperimentTotals;
	/** Of the evaluations, by their name. */
	readonly coverage: ReadonlyMap<string, Coverage>;
	/** Runs that there should be. */
	readonly expectedRuns: number;
	readonly missingRuns: number;
	/** The scores of the baseline; without one, of none. */
	readonly baselineScores: ReadonlyMap<string, ScoreTotals>;
	measure(quantity: Quantity): Promise<Measured>;
}

interface Subject {
	readonly experiment: ExperimentRow;
	readonly baseline: ExperimentRow | undefined;
	/** Metrics of which less is better. */
	readonly minimized: ReadonlySet<string>;
}

export async function readMeasures(db: Kysely<Tables>, traces: TraceReader, subject: Subject): Promise<Measures> {
	const { experiment, baseline, minimized } = subject;
	const [totalsOf, coverage, differences, ofBaseline] = await Promise.all([
		findTotals(db, traces, [experiment]),
		evaluationCoverage(db, experiment.id),
		baseline && countDifferences(db, [baseline, experiment]),
		baseline && scoreTotals(db, [baseline.id]),
	]);
	const totals = totalsOf(experiment.id);
	const { runs } = totals;
	const doneRuns = runs.successful + runs.failed;
	const expectedRuns = experiment.example_count * experiment.repetitions;
	const counts = differences?.get(experiment.id);
	const baselineScores = (baseline && ofBaseline?.get(baseline.id)) ?? new Map<string, ScoreTotals>();

	return {
		totals,
		coverage,
		expectedRuns,
		missingRuns: Math.max(0, expectedRuns - doneRuns),
		baselineScores,
		async measure(quantity) {
			switch (quantity.value) {
				case "errors":
					return { value: runs.failed + failedEvaluations(coverage), count: doneRuns };
				case "missing":
					return { value: Math.max(0, expectedRuns - doneRuns), count: expectedRuns };
				case "cost_usd":
					return totals.cost === null
						? noValue("No cost is known: the runs have no traces, or their models no price.")
						: { value: totals.cost, count: doneRuns };
				case "latency_mean_ms":
					return runs.averageLatencyMs === null ? noRuns() : { value: runs.averageLatencyMs, count: doneRuns };
				case "latency_p95_ms": {
					const of = { experimentId: experiment.id, runs: doneRuns, share: P95 };
					const value = doneRuns === 0 ? undefined : await latencyQuantile(db, of);
					return value === undefined ? noRuns() : { value, count: doneRuns };
				}
				default:
					return coverage.has(quantity.metric) ? await measureMetric(quantity) : unknownMetric(quantity.metric);
			}
		},
	};

	async function measureMetric(quantity: Extract<Quantity, { metric: string }>): Promise<Measured> {
		const { value, metric } = quantity;
		switch (value) {
			case "count": {
				const examples = coverage.get(metric)?.examples ?? 0;
				return { value: examples, count: examples };
			}
			case "share":
				return await measureShare(metric, quantity.label);
			case "mean":
			case "lower":
			case "min":
				return await measureScore(value, metric);
			default:
				return await measureAgainstBaseline(value, metric);
		}
	}

	async function measureScore(value: "mean" | "lower" | "min", metric: string): Promise<Measured> {
		const score = totals.scores.get(metric);
		if (score === undefined) return noValue("No evaluation of this name has a score.");
		const { count } = score;
		const interval = await intervalOf(score, () => exampleMeans(db, experiment.id, metric));
		if (value === "mean") return { value: score.mean, count, interval };
		if (value === "min") return { value: score.lowest, count };
		if (interval !== undefined) return { value: interval[0], count, interval };
		const message = `Only ${count} ${examplesWord(count)} a score: an interval takes ${FEWEST_FOR_INTERVAL}.`;
		return { reason: "too_few", message };
	}

	async function measureShare(metric: string, label: string): Promise<Measured> {
		const labelled = await labelShares(db, { experimentId: experiment.id, metric, label });
		if (labelled === undefined) return noValue("No evaluation of this name has a label.");
		const { mean: value, count } = labelled.totals;
		const interval = await intervalOf(labelled.totals, labelled.shares);
		if (value > 0) return { value, count, interval };
		const known = await someLabels(db, experiment.id, metric);
		return { value, count, interval, note: `No evaluation has this label; there are: ${known.join(", ")}.` };
	}

	async function measureAgainstBaseline(
		value: "delta" | "delta_lower" | "regressed" | "improved",
		metric: string,
	): Promise<Measured> {
		if (baseline === undefined) return { reason: "no_baseline", message: "There is no baseline to compare with." };
		const pair: Pair = { experiment, baseline, metric };
		const compared = counts?.get(metric);
		if (compared === undefined) return noValue("No example has a score of this name here and in the baseline.");
		if (value === "regressed" || value === "improved")
			return { value: changed(compared, value, minimized.has(metric)), count: compared.compared };
		const difference = await differencesOf(db, pair);
		if (difference === undefined) return noValue("No example has a score of this name here and in the baseline.");
		const { count } = difference;
		const interval = pairedInterval(difference);
		if (value === "delta") return { value: difference.mean, count, interval };
		if (interval !== undefined) return { value: interval[0], count, interval };
		const message = "Only 1 example has a score here and in the baseline: an interval takes 2.";
		return { reason: "too_few", message };
	}

	function unknownMetric(metric: string): Measured {
		const known = [...coverage.keys()];
		const near = suggest(metric, known);
		const there = known.length > MOST_LISTED ? `${known.slice(0, MOST_LISTED).join(", ")}, …` : known.join(", ");
		const meant = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
		const message =
			known.length === 0
				? "The experiment has no evaluations."
				: `The experiment has no evaluation of this name.${meant || ` There are: ${there}.`}`;
		return { reason: "unknown_metric", message };
	}
}

async function intervalOf(
	totals: ScoreTotals,
	readScores: () => Promise<number[]>,
): Promise<[number, number] | undefined> {
	return confidenceInterval(totals, needsScores(totals) ? await readScores() : []);
}

function failedEvaluations(coverage: ReadonlyMap<string, Coverage>): number {
	return [...coverage.values()].reduce((sum, { failed }) => sum + failed, 0);
}

function changed({ higher, lower }: Counts, value: "regressed" | "improved", isMinimized: boolean): number {
	return (value === "improved") === isMinimized ? lower : higher;
}

function examplesWord(count: number): string {
	return count === 1 ? "example has" : "examples have";
}

function noValue(message: string): Measured {
	return { reason: "no_value", message };
}

function noRuns(): Measured {
	return noValue("The experiment has no runs.");
}
