import { type Kysely, sql } from "kysely";
import { countThatFits } from "#http/page-size.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { jsonMember } from "#storage/sql-pieces.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { evaluationBytes } from "./evaluations.ts";
import { type ExampleSet, examplesOfExperiment, findExamples } from "./examples.ts";
import type { ExperimentRow } from "./queries.ts";
import type { RunRow } from "./runs.ts";

/** Means that differ by less are equal: the order in which repetitions are added up must not make a difference. */
export const EQUAL_WITHIN = 1e-9;
/** Sort key of examples without a difference, which come last. */
const LAST = 1e308;

/** The experiments of a comparison; the first is the base. */
export type Compared = readonly [ExperimentRow, ...ExperimentRow[]];

export interface Counts {
	/** Number of examples with the metric in both experiments. */
	readonly compared: number;
	readonly higher: number;
	readonly lower: number;
}

/** How many examples score higher or lower than in the base, by experiment (except the base) and metric. */
export async function countDifferences(
	db: Kysely<Tables>,
	[base, ...others]: Compared,
): Promise<Map<number, Map<string, Counts>>> {
	const { rows } = await sql<Counts & { id: number; name: string }>`
		with base as materialized (
			select name, example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id = ${base.id} and score is not null
			group by name, example_id
		)
		select other.experiment_id as id, other.name, count(*) as compared,
			count(*) filter (where other.mean - base.mean > ${EQUAL_WITHIN}) as higher,
			count(*) filter (where base.mean - other.mean > ${EQUAL_WITHIN}) as lower
		from (
			select experiment_id, name, example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id in ${listed(others.map(({ id }) => id))} and score is not null
			group by experiment_id, name, example_id
		) as other
		join base on base.name = other.name and base.example_id = other.example_id
		group by other.experiment_id, other.name`.execute(db);
	return new Map(
		[...Map.groupBy(rows, (row) => row.id)].map(([id, counts]) => [
			id,
			new Map(counts.map((count) => [count.name, count])),
		]),
	);
}

/** The metrics for which lower is better according to the annotation configs with their names. */
export async function findMinimized(db: Kysely<Tables>, names: readonly string[]): Promise<Set<string>> {
	const rows = await db
		.selectFrom("annotation_configs")
		.select("name")
		.where("name", "in", listed(names))
		.where(sql<boolean>`${jsonMember("definition", "optimization_direction")} = 'MINIMIZE'`)
		.execute();
	return new Set(rows.map(({ name }) => name));
}

interface PageQuery {
	readonly limit: number;
	readonly maxBytes: number;
}

/** Row numbers of the page's examples, and where the next page starts. */
export interface ExamplePage {
	readonly ids: readonly number[];
	readonly next: Keyset | undefined;
}

/** The examples that any of the experiments has, by row number. */
export async function pageByExample(
	db: Kysely<Tables>,
	experiments: Compared,
	query: PageQuery & { readonly fromId?: number | undefined },
): Promise<ExamplePage> {
	const found = new Set<number>();
	for (const set of exampleSets(experiments)) {
		const rows = await examplesOfExperiment(db, set)
			.clearSelect()
			.select("revision.example_id as id")
			.where("revision.example_id", ">=", query.fromId ?? 0)
			.orderBy("revision.example_id")
			.limit(query.limit + 1)
			.execute();
		for (const { id } of rows) found.add(id);
	}
	const ids = [...found].sort((a, b) => a - b).slice(0, query.limit + 1);
	return await cutPage(
		db,
		experiments,
		ids.map((id) => ({ id, value: id })),
		query,
	);
}

/**
 * The examples that any of the experiments has, the largest loss of the metric against the base first; with several
 * experiments the largest of their losses counts. Examples that lack the metric come last.
 */
export async function pageByRegression(
	db: Kysely<Tables>,
	experiments: Compared,
	query: PageQuery & { readonly metric: string; readonly isMinimized: boolean; readonly from?: Keyset | undefined },
): Promise<ExamplePage> {
	const [base, ...others] = experiments;
	const [first, ...rest] = exampleSets(experiments).map((set) =>
		examplesOfExperiment(db, set).clearSelect().select("revision.example_id as id"),
	);
	if (first === undefined) return { ids: [], next: undefined };
	const all = rest.reduce((union, set) => union.union(set), first);
	const from = query.from ?? { value: -LAST, id: 0 };
	const { rows } = await sql<Keyset>`
		with base as materialized (
			select example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id = ${base.id} and name = ${query.metric} and score is not null
			group by example_id
		), others as materialized (
			select experiment_id, example_id, avg(score) as mean
			from experiment_evaluations
			where experiment_id in ${listed(others.map(({ id }) => id))}
				and name = ${query.metric} and score is not null
			group by experiment_id, example_id
		), differences as materialized (
			select others.example_id, min(${query.isMinimized ? -1 : 1} * (others.mean - base.mean)) as difference
			from others
			join base on base.example_id = others.example_id
			group by others.example_id
		), ranked as (
			select examples.id, coalesce(differences.difference, ${LAST}) as value
			from ${all} as examples
			left join differences on differences.example_id = examples.id
		)
		select id, value
		from ranked
		where (value, id) >= (${from.value}, ${from.id})
		order by value, id
		limit ${query.limit + 1}`.execute(db);
	return await cutPage(db, experiments, rows, query);
}

async function cutPage(
	db: Kysely<Tables>,
	experiments: Compared,
	keys: readonly Keyset[],
	{ limit, maxBytes }: PageQuery,
): Promise<ExamplePage> {
	const page = keys.slice(0, limit);
	const bytes = await weigh(
		db,
		experiments,
		page.map(({ id }) => id),
	);
	const count = countThatFits(
		page.map(({ id }) => ({ bytes: bytes.get(id) ?? 0 })),
		maxBytes,
	);
	return { ids: page.slice(0, count).map(({ id }) => id), next: keys[count] };
}

/** Estimates the bytes of memory that these examples take with their runs and evaluations. */
async function weigh(
	db: Kysely<Tables>,
	experiments: Compared,
	exampleIds: readonly number[],
): Promise<Map<number, number>> {
	const bytes = new Map<number, number>();
	const add = (rows: readonly { id: number; bytes: number }[]) => {
		for (const row of rows) bytes.set(row.id, (bytes.get(row.id) ?? 0) + row.bytes);
	};
	for (const set of exampleSets(experiments)) {
		const rows = await examplesOfExperiment(db, set)
			.clearSelect()
			.select([
				"revision.example_id as id",
				sql<number>`octet_length(revision.input) + octet_length(revision.output) + octet_length(revision.metadata)`.as(
					"bytes",
				),
			])
			.where("revision.example_id", "in", listed(exampleIds))
			.execute();
		add(rows);
	}
	const runs = await db
		.selectFrom("experiment_runs")
		.where("experiment_id", "in", listed(experiments.map(({ id }) => id)))
		.where("example_id", "in", listed(exampleIds))
		.select([
			"example_id as id",
			sql<number>`sum(500 + octet_length(output) + coalesce(octet_length(error), 0) + ${evaluationBytes})`.as("bytes"),
		])
		.groupBy("example_id")
		.execute();
	add(runs);
	return bytes;
}

/** The examples with the content that the base has, else that of the first experiment that has them. */
export async function findComparedExamples(
	db: Kysely<Tables>,
	experiments: Compared,
	exampleIds: readonly number[],
): Promise<Map<number, ExampleRow>> {
	const found = new Map<number, ExampleRow>();
	for (const set of exampleSets(experiments)) {
		for (const [id, row] of await findExamples(db, set, exampleIds)) if (!found.has(id)) found.set(id, row);
	}
	return found;
}

/** Runs, ordered by experiment, example and repetition. */
export async function findComparedRuns(
	db: Kysely<Tables>,
	experiments: Compared,
	exampleIds: readonly number[],
): Promise<RunRow[]> {
	return await db
		.selectFrom("experiment_runs")
		.selectAll()
		.where("experiment_id", "in", listed(experiments.map(({ id }) => id)))
		.where("example_id", "in", listed(exampleIds))
		.orderBy("experiment_id")
		.orderBy("example_id")
		.orderBy("repetition_number")
		.execute();
}

/** The distinct example sets of the experiments, that of the base first. */
function exampleSets(experiments: Compared): ExampleSet[] {
	const sets = experiments.map((row) => [`${row.dataset_version_id} ${row.split_ids}`, row] as const);
	return [...new Map(sets.toReversed())].toReversed().map(([, row]) => row);
}
