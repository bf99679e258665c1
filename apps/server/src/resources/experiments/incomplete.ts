import { type Kysely, sql } from "kysely";
import { countThatFits } from "#http/page-size.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { jsonListOf } from "#storage/sql-pieces.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { examplesOfExperiment, findExamples } from "./examples.ts";
import type { ExperimentRow } from "./queries.ts";
import { findRuns, type RunRow } from "./runs.ts";

interface PageQuery {
	readonly fromId?: number | undefined;
	readonly limit: number;
	readonly maxBytes: number;
}

/** Examples that lack a successful run of some repetition, ascending. */
export async function listIncompleteExamples(
	db: Kysely<Tables>,
	experiment: ExperimentRow,
	{ fromId = 0, limit, maxBytes }: PageQuery,
): Promise<{ items: { example: ExampleRow; repetitions: number[] }[]; next: number | undefined }> {
	const keys = await examplesOfExperiment(db, experiment)
		.leftJoin("experiment_runs as run", (join) =>
			join
				.on("run.experiment_id", "=", experiment.id)
				.onRef("run.example_id", "=", "revision.example_id")
				.on("run.error", "is", null),
		)
		.where("revision.example_id", ">=", fromId)
		.clearSelect()
		.select([
			"revision.example_id as id",
			// `max` only satisfies the grouping: an example has one revision here.
			sql<number>`max(octet_length(revision.input) + octet_length(revision.output) + octet_length(revision.metadata))`.as(
				"bytes",
			),
			jsonListOf(sql`run.repetition_number`).as("done"),
		])
		.groupBy("revision.example_id")
		.having(({ fn }) => fn.count("run.id"), "<", experiment.repetitions)
		.orderBy("revision.example_id")
		.limit(limit + 1)
		.execute();
	const count = countThatFits(keys.slice(0, limit), maxBytes);
	const page = keys.slice(0, count);
	const examples = await findExamples(
		db,
		experiment,
		page.map(({ id }) => id),
	);
	const items = page.flatMap(({ id, done }) => {
		const example = examples.get(id);
		if (example === undefined) return [];
		const present = new Set(JSON.parse(done) as (number | null)[]);
		const all = Array.from({ length: experiment.repetitions }, (_, index) => index + 1);
		return [{ example, repetitions: all.filter((repetition) => !present.has(repetition)) }];
	});
	return { items, next: keys[count]?.id };
}

/** Successful runs that lack a successful evaluation of some of these names, ascending. */
export async function listUnevaluatedRuns(
	db: Kysely<Tables>,
	experiment: ExperimentRow,
	names: readonly string[],
	{ fromId = 0, limit, maxBytes }: PageQuery,
): Promise<{ items: { run: RunRow; example: ExampleRow; names: string[] }[]; next: number | undefined }> {
	const evaluated = sql`
		from experiment_evaluations as evaluation
		where evaluation.run_id = run.id and evaluation.error is null
			and evaluation.name in ${listed(names)}`;
	const keys = await db
		.selectFrom("experiment_runs as run")
		.where("run.experiment_id", "=", experiment.id)
		.where("run.error", "is", null)
		.where("run.id", ">=", fromId)
		.where(sql<boolean>`(select count(*) ${evaluated}) < ${names.length}`)
		.select([
			"run.id",
			sql<number>`octet_length(run.output) + (
				select octet_length(revision.input) + octet_length(revision.output) + octet_length(revision.metadata)
				from dataset_example_revisions as revision
				where revision.example_id = run.example_id and revision.from_version <= ${experiment.dataset_version_id}
				order by revision.from_version desc
				limit 1
			)`.as("bytes"),
			sql<string>`(select ${jsonListOf(sql`evaluation.name`)} ${evaluated})`.as("done"),
		])
		.orderBy("run.id")
		.limit(limit + 1)
		.execute();
	const count = countThatFits(keys.slice(0, limit), maxBytes);
	const done = new Map(keys.slice(0, count).map((key) => [key.id, new Set(JSON.parse(key.done) as string[])]));
	const runs = await findRuns(db, [...done.keys()]);
	const examples = await findExamples(
		db,
		experiment,
		runs.map((run) => run.example_id),
	);
	const items = runs.flatMap((run) => {
		const example = examples.get(run.example_id);
		const missing = names.filter((name) => done.get(run.id)?.has(name) !== true);
		return example === undefined ? [] : [{ run, example, names: missing }];
	});
	return { items, next: keys[count]?.id };
}
