import { type Kysely, sql } from "kysely";
import type { Differences } from "#base/statistics/paired-interval.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { EQUAL_WITHIN } from "../compare.ts";
import { examplesOfExperiment } from "../examples.ts";
import type { ExperimentRow } from "../queries.ts";
import { type Aggregates, type ScoreTotals, toScoreTotals } from "../totals.ts";

/** How far the evaluations of one name have come. */
export interface Coverage {
	/** Examples with an evaluation that did not fail, also one without a score. */
	readonly examples: number;
	/** Successful runs with an evaluation, also one that failed. */
	readonly runs: number;
	readonly failed: number;
	/** Whether programs made any of them: people may look at some runs only. */
	readonly isByPrograms: boolean;
}

/** By name. */
export async function evaluationCoverage(db: Kysely<Tables>, experimentId: number): Promise<Map<string, Coverage>> {
	const { rows } = await sql<Omit<Coverage, "isByPrograms"> & { name: string; programs: number }>`
		select evaluation.name,
			count(distinct evaluation.example_id) filter (where evaluation.error is null) as examples,
			count(*) filter (where run.error is null) as runs,
			count(*) filter (where evaluation.error is not null) as failed,
			count(*) filter (where evaluation.annotator_kind <> 'HUMAN') as programs
		from experiment_evaluations as evaluation
		join experiment_runs as run on run.id = evaluation.run_id
		where evaluation.experiment_id = ${experimentId}
		group by evaluation.name
		order by evaluation.name`.execute(db);
	return new Map(rows.map(({ name, programs, ...counts }) => [name, { ...counts, isByPrograms: programs > 0 }]));
}

/** Whether the server still works on the experiment, or has been told to wait with it. */
export async function isWorkedOn(db: Kysely<Tables>, experimentId: number): Promise<boolean> {
	const job = await db
		.selectFrom("experiment_job_experiments as of_job")
		.innerJoin("experiment_jobs as job", "job.id", "of_job.job_id")
		.select("job.id")
		.where("of_job.experiment_id", "=", experimentId)
		.where("job.state", "in", ["waiting", "running", "paused"])
		.limit(1)
		.executeTakeFirst();
	return job !== undefined;
}

/** The part of each example's labelled evaluations that have this label; undefined when none has a label. */
export async function labelShares(
	db: Kysely<Tables>,
	{ experimentId, metric, label }: { experimentId: number; metric: string; label: string },
): Promise<{ totals: ScoreTotals; shares: () => Promise<number[]> } | undefined> {
	const shares = sql`
		select avg(case when label = ${label} then cast(1 as real) else cast(0 as real) end) as mean
		from experiment_evaluations
		where experiment_id = ${experimentId} and name = ${metric} and label is not null
		group by example_id`;
	const { rows } = await sql<Aggregates>`
		select avg(mean) as mean, count(*) as count, sum(mean * mean) as squares, min(mean) as lowest,
			max(mean) as highest, count(*) filter (where mean not in (0, 1)) as "between"
		from (${shares}) as shares`.execute(db);
	const [aggregates] = rows;
	if (aggregates === undefined || aggregates.count === 0) return undefined;
	return {
		totals: toScoreTotals(aggregates),
		shares: async () => (await sql<{ mean: number }>`${shares}`.execute(db)).rows.map(({ mean }) => mean),
	};
}

/** Labels of a metric, a few of them. */
export async function someLabels(db: Kysely<Tables>, experimentId: number, metric: string): Promise<string[]> {
	const rows = await db
		.selectFrom("experiment_evaluations")
		.select("label")
		.distinct()
		.where("experiment_id", "=", experimentId)
		.where("name", "=", metric)
		.where("label", "is not", null)
		.orderBy("label")
		.limit(20)
		.execute();
	return rows.flatMap(({ label }) => (label === null ? [] : [label]));
}

/**
 * The latency that this part of the runs does not exceed, in milliseconds: the nearest rank, so that it is that of a run.
 * @param share from 0 to 1
 */
export async function latencyQuantile(
	db: Kysely<Tables>,
	{ experimentId, runs, share }: { experimentId: number; runs: number; share: number },
): Promise<number | undefined> {
	const row = await db
		.selectFrom("experiment_runs")
		.select(sql<number>`end_micros - start_micros`.as("micros"))
		.where("experiment_id", "=", experimentId)
		.orderBy("micros")
		.limit(1)
		.offset(Math.max(0, Math.ceil(runs * share) - 1))
		.executeTakeFirst();
	return row && row.micros / 1_000;
}

export interface Pair {
	readonly experiment: Pick<ExperimentRow, "id">;
	readonly baseline: Pick<ExperimentRow, "id">;
	readonly metric: string;
}

/** The means of one metric of the examples that have it in both experiments. */
function pairs({ experiment, baseline, metric }: Pair) {
	return sql`
		select here.example_id, here.mean as value, base.mean as baseline, here.mean - base.mean as difference
		from (
			select example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id = ${experiment.id} and name = ${metric} and score is not null
			group by example_id
		) as here
		join (
			select example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id = ${baseline.id} and name = ${metric} and score is not null
			group by example_id
		) as base on base.example_id = here.example_id`;
}

/** How much the examples score above the baseline; undefined when no example has the metric in both. */
export async function differencesOf(db: Kysely<Tables>, pair: Pair): Promise<Differences | undefined> {
	const { rows } = await sql<Differences>`
		with pairs as materialized (${pairs(pair)}),
			middle as (select avg(difference) as mean from pairs)
		select avg(difference) as mean, count(*) as count,
			sum((difference - middle.mean) * (difference - middle.mean)) as squares
		from pairs, middle`.execute(db);
	const [differences] = rows;
	return differences === undefined || differences.count === 0 ? undefined : differences;
}

/** An example that scores worse than in the baseline. */
export interface Regression {
	readonly metric: string;
	readonly exampleId: number;
	readonly value: number;
	readonly baseline: number;
}

/** The examples that have become worse in one metric, the largest loss first. */
export async function findRegressions(
	db: Kysely<Tables>,
	pair: Pair,
	{ isMinimized, limit }: { isMinimized: boolean; limit: number },
): Promise<Regression[]> {
	const { rows } = await sql<Omit<Regression, "metric">>`
		with pairs as materialized (${pairs(pair)})
		select example_id as "exampleId", value, baseline
		from pairs
		where ${isMinimized ? -1 : 1} * difference < ${-EQUAL_WITHIN}
		order by ${isMinimized ? -1 : 1} * difference, example_id
		limit ${limit}`.execute(db);
	return rows.map((row) => ({ ...row, metric: pair.metric }));
}

/** A run, or an evaluation of it, that failed. */
export interface Failure {
	readonly exampleId: number;
	readonly repetition: number;
	/** Of the evaluation; null for the run. */
	readonly name: string | null;
	/** The beginning of its error. */
	readonly error: string;
}

const ERROR_CHARACTERS = 500;

/** By example and repetition. */
export async function findFailures(db: Kysely<Tables>, experimentId: number, limit: number): Promise<Failure[]> {
	const { rows } = await sql<Failure>`
		select example_id as "exampleId", repetition_number as repetition, null as name,
			substr(error, 1, ${ERROR_CHARACTERS}) as error
		from experiment_runs
		where experiment_id = ${experimentId} and error is not null
		union all
		select evaluation.example_id as "exampleId", run.repetition_number as repetition, evaluation.name,
			substr(evaluation.error, 1, ${ERROR_CHARACTERS}) as error
		from experiment_evaluations as evaluation
		join experiment_runs as run on run.id = evaluation.run_id
		where evaluation.experiment_id = ${experimentId} and evaluation.error is not null
		order by 1, 2, 3
		limit ${limit}`.execute(db);
	return rows;
}

/** The beginning of what an example holds, as JSON text that may be cut off. */
export interface Excerpt {
	readonly id: number;
	readonly externalId: string | null;
	readonly input: string;
	readonly output: string;
	readonly runs: readonly { readonly repetition: number; readonly output: string }[];
}

/** Characters of each. */
export const EXCERPT = 800;
const MOST_REPETITIONS = 3;

/** What there is about some examples and their first runs, by row number. */
export async function findExcerpts(
	db: Kysely<Tables>,
	experiment: ExperimentRow,
	exampleIds: readonly number[],
): Promise<Map<number, Excerpt>> {
	const examples = await examplesOfExperiment(db, experiment)
		.clearSelect()
		.select([
			"example.id",
			"example.external_id as externalId",
			sql<string>`substr(revision.input, 1, ${EXCERPT})`.as("input"),
			sql<string>`substr(revision.output, 1, ${EXCERPT})`.as("output"),
		])
		.where("revision.example_id", "in", listed(exampleIds))
		.execute();
	const runs = await db
		.selectFrom("experiment_runs")
		.select(["example_id", "repetition_number as repetition", sql<string>`substr(output, 1, ${EXCERPT})`.as("output")])
		.where("experiment_id", "=", experiment.id)
		.where("example_id", "in", listed(exampleIds))
		.where("repetition_number", "<=", MOST_REPETITIONS)
		.orderBy("repetition_number")
		.execute();
	const byExample = Map.groupBy(runs, (run) => run.example_id);
	return new Map(examples.map((example) => [example.id, { ...example, runs: byExample.get(example.id) ?? [] }]));
}
