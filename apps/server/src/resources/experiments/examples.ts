import type { Kysely } from "kysely";
import { encodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { type ExampleRow, exampleBytes, examplesOfVersion, toExample } from "../datasets/examples.ts";
import type { ExperimentRow } from "./queries.ts";

/** What an experiment's examples depend on: experiments with equal values have the same examples. */
export type ExampleSet = Pick<ExperimentRow, "dataset_id" | "dataset_version_id" | "split_ids">;

/** The query for the examples of an experiment, as {@link examplesOfVersion}. */
export function examplesOfExperiment(db: Kysely<Tables>, experiment: ExampleSet) {
	return examplesOfVersion(db, {
		datasetId: experiment.dataset_id,
		versionId: experiment.dataset_version_id,
		splitIds: experiment.split_ids === null ? undefined : (JSON.parse(experiment.split_ids) as number[]),
	});
}

export async function hasExample(db: Kysely<Tables>, experiment: ExampleSet, exampleId: number): Promise<boolean> {
	const query = examplesOfExperiment(db, experiment).clearSelect().select("revision.id");
	return (await query.where("revision.example_id", "=", exampleId).executeTakeFirst()) !== undefined;
}

export async function countExamples(db: Kysely<Tables>, experiment: ExampleSet): Promise<number> {
	const query = examplesOfExperiment(db, experiment)
		.clearSelect()
		.select(({ fn }) => fn.countAll<number>().as("count"));
	return (await query.executeTakeFirstOrThrow()).count;
}

/** Filters examples to those that the experiment has, by row number. */
export async function findExamples(
	db: Kysely<Tables>,
	experiment: ExampleSet,
	exampleIds: readonly number[],
): Promise<Map<number, ExampleRow>> {
	const rows = await examplesOfExperiment(db, experiment)
		.where("revision.example_id", "in", listed(exampleIds))
		.execute();
	return new Map(rows.map((row) => [row.id, row]));
}

/** The bytes of their content, by row number. */
export async function findExampleBytes(
	db: Kysely<Tables>,
	experiment: ExampleSet,
	exampleIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
	const rows = await examplesOfExperiment(db, experiment)
		.clearSelect()
		.select(["revision.example_id as id", exampleBytes.as("bytes")])
		.where("revision.example_id", "in", listed(exampleIds))
		.execute();
	return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** The wire form of an example in experiments: always with its global id, and without its source. */
export function toExperimentExample(row: ExampleRow) {
	return { ...toExample(row), id: encodeGlobalId("DatasetExample", row.id), source: null };
}
