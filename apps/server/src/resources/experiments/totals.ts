import { type Kysely, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { ExperimentRow } from "./queries.ts";

export interface RunTotals {
	readonly successful: number;
	readonly failed: number;
	/** Mean of all runs; null without runs. */
	readonly averageLatencyMs: number | null;
}

/** Statistics over the examples' means of one metric. */
export interface ScoreTotals {
	readonly mean: number;
	/** Number of examples that have a score. */
	readonly count: number;
	/** Null for a single example. */
	readonly standardError: number | null;
	readonly lowest: number;
	readonly highest: number;
	/** Whether each mean is 0 or 1. */
	readonly isBinary: boolean;
}

export interface ExperimentTotals {
	readonly runs: RunTotals;
	readonly scores: ReadonlyMap<string, ScoreTotals>;
	/** Dollars; null when no cost is known. */
	readonly cost: number | null;
	readonly tokens: number;
	readonly tags: readonly string[];
}

const NO_RUNS: RunTotals = { successful: 0, failed: 0, averageLatencyMs: null };

/** The totals that lists of experiments show, by row number. */
export async function findTotals(
	db: Kysely<Tables>,
	traces: TraceReader,
	experiments: readonly Pick<ExperimentRow, "id" | "project_id">[],
): Promise<(id: number) => ExperimentTotals> {
	const ids = experiments.map(({ id }) => id);
	const projects = new Map(experiments.map(({ id, project_id }) => [id, project_id]));
	const [runs, scores, spent, tags] = await Promise.all([
		runTotals(db, ids),
		scoreTotals(db, ids),
		traces.findProjectTotals([...projects.values()].filter((id) => id !== null)),
		tagNames(db, ids),
	]);
	return (id) => {
		const project = spent.get(projects.get(id) ?? 0);
		return {
			runs: runs.get(id) ?? NO_RUNS,
			scores: scores.get(id) ?? new Map(),
			cost: project?.cost ?? null,
			tokens: project?.tokens ?? 0,
			tags: tags.get(id) ?? [],
		};
	};
}

async function runTotals(db: Kysely<Tables>, ids: readonly number[]): Promise<Map<number, RunTotals>> {
	const rows = await db
		.selectFrom("experiment_runs")
		.where("experiment_id", "in", listed(ids))
		.select([
			"experiment_id",
			sql<number>`count(*) filter (where error is null)`.as("successful"),
			sql<number>`count(*) filter (where error is not null)`.as("failed"),
			sql<number>`avg(end_micros - start_micros) / 1000`.as("latency"),
		])
		.groupBy("experiment_id")
		.execute();
	return new Map(
		rows.map(({ experiment_id, successful, failed, latency }) => [
			experiment_id,
			{ successful, failed, averageLatencyMs: latency },
		]),
	);
}

/** What the database computes of the examples' means. */
export interface Aggregates {
	readonly mean: number;
	readonly count: number;
	/** Sum of the squared means. */
	readonly squares: number;
	readonly lowest: number;
	readonly highest: number;
	/** How many are neither 0 nor 1. */
	readonly between: number;
}

interface ScoreRow extends Aggregates {
	readonly id: number;
	readonly name: string;
}

/** The examples' means of one metric of an experiment. */
export async function exampleMeans(db: Kysely<Tables>, experimentId: number, name: string): Promise<number[]> {
	const { rows } = await sql<{ mean: number }>`
		select avg(score) as mean
		from experiment_evaluations
		where experiment_id = ${experimentId} and name = ${name} and score is not null
		group by example_id`.execute(db);
	return rows.map(({ mean }) => mean);
}

/** By experiment and name. */
export async function scoreTotals(
	db: Kysely<Tables>,
	ids: readonly number[],
): Promise<Map<number, Map<string, ScoreTotals>>> {
	const { rows } = await sql<ScoreRow>`
		select experiment_id as id, name, avg(mean) as mean, count(*) as count, sum(mean * mean) as squares,
			min(mean) as lowest, max(mean) as highest, count(*) filter (where mean not in (0, 1)) as "between"
		from (
			select experiment_id, name, avg(score) as mean
			from experiment_evaluations
			where experiment_id in ${listed(ids)} and score is not null
			group by experiment_id, name, example_id
		) as means
		group by experiment_id, name
		order by experiment_id, name`.execute(db);
	const found = new Map<number, Map<string, ScoreTotals>>();
	for (const { id, name, ...aggregates } of rows) {
		const ofExperiment = found.get(id) ?? new Map<string, ScoreTotals>();
		ofExperiment.set(name, toScoreTotals(aggregates));
		found.set(id, ofExperiment);
	}
	return found;
}

export function toScoreTotals({ mean, count, squares, lowest, highest, between }: Aggregates): ScoreTotals {
	const standardError = standardErrorOf(mean, count, squares);
	return { mean, count, standardError, lowest, highest, isBinary: between === 0 };
}

/** Standard error of a mean, from the sum of the squared values. A variance within the rounding error counts as 0. */
function standardErrorOf(mean: number, count: number, squares: number): number | null {
	if (count < 2) return null;
	const deviations = squares - count * mean ** 2;
	return deviations < 1e-12 * squares ? 0 : Math.sqrt(deviations / (count - 1) / count);
}

async function tagNames(db: Kysely<Tables>, ids: readonly number[]): Promise<Map<number, string[]>> {
	const rows = await db
		.selectFrom("experiment_tags")
		.where("experiment_id", "in", listed(ids))
		.select(["experiment_id", "name"])
		.orderBy("name")
		.execute();
	return new Map(
		[...Map.groupBy(rows, (row) => row.experiment_id)].map(([id, tags]) => [id, tags.map(({ name }) => name)]),
	);
}
