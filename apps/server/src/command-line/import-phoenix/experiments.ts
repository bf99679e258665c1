import type { Insertable, Transaction } from "kysely";
import { toJsonText } from "#http/json-values.ts";
import { countExamples } from "#resources/experiments/examples.ts";
import { ANNOTATOR_KINDS, type Tables } from "#storage/schema.ts";
import type { WrittenDataset } from "./datasets.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import } from "./target.ts";
import { countOf, isObject, jsonOf, microsOf, numberOf, objectTextOf, textOf } from "./values.ts";

const COLUMNS = [
	...["dataset_version_id", "name", "description", "repetitions", "metadata", "project_name", "is_ephemeral"],
	...["user_id", "created_at", "updated_at"],
];
const RUN_COLUMNS = [
	"dataset_example_id",
	"repetition_number",
	"trace_id",
	"output",
	"error",
	"start_time",
	"end_time",
];
const EVALUATION_COLUMNS = [
	...["experiment_run_id", "name", "annotator_kind", "label", "score", "explanation", "error", "metadata"],
	...["trace_id", "start_time", "end_time"],
];
const MAX_DESCRIPTION = 10_000;
const MAX_LABEL = 1_000;
const MAX_TEXT = 100_000;
/** Few at a time, as outputs may be long. */
const STEP_ROWS = 100;

/** Imports the experiments of a dataset with their runs, evaluations and tags. */
export async function importExperiments(
	job: Import,
	transaction: Transaction<Tables>,
	dataset: WrittenDataset,
	phoenixId: number,
): Promise<void> {
	const { source, report } = job;
	const ofDataset = { where: "dataset_id = ?", parameters: [phoenixId] };
	const experiments = new Map<number, number>();
	for await (const rows of readTable(source, "experiments", COLUMNS, ofDataset))
		for (const row of rows) {
			const id = await importExperiment(job, transaction, dataset, row);
			if (id === undefined) continue;
			experiments.set(Number(row["id"]), id);
			await importRuns(job, transaction, dataset, { from: Number(row["id"]), to: id });
		}
	report.count("experiments", experiments.size, experiments.size);
	for await (const rows of readTable(source, "experiment_tags", ["experiment_id", "name", "description"], ofDataset))
		for (const row of rows) {
			const experiment = experiments.get(Number(row["experiment_id"]));
			const name = report.nameOf(row, "tags of experiments");
			if (experiment === undefined || name === undefined) continue;
			await transaction
				.insertInto("experiment_tags")
				.values({
					dataset_id: dataset.id,
					experiment_id: experiment,
					name,
					description: report.textOf(row["description"], MAX_DESCRIPTION),
				})
				.onConflict((conflict) => conflict.doNothing())
				.execute();
		}
}

async function importExperiment(
	{ source, report, users, projects }: Import,
	transaction: Transaction<Tables>,
	dataset: WrittenDataset,
	row: SourceRow,
): Promise<number | undefined> {
	const versionId = dataset.versions.get(Number(row["dataset_version_id"]));
	if (versionId === undefined || row["is_ephemeral"] === 1 || row["is_ephemeral"] === true) {
		report.leave("ephemeral experiments");
		return undefined;
	}
	const name = report.nameOf(row, "experiments");
	if (name === undefined) return undefined;
	const chosen = source.columns.has("experiments_dataset_splits")
		? await source.query(
				`select name from experiments_dataset_splits join dataset_splits on dataset_splits.id = dataset_split_id
				where experiment_id = ? order by dataset_splits.id`,
				[Number(row["id"])],
			)
		: [];
	const splits = chosen.flatMap(({ name }) => dataset.splits.get(String(name)) ?? []);
	const set = {
		dataset_id: dataset.id,
		dataset_version_id: versionId,
		split_ids: splits.length === 0 ? null : JSON.stringify(splits),
	};
	const { id } = await transaction
		.insertInto("experiments")
		.values({
			...set,
			name,
			description: report.textOf(row["description"], MAX_DESCRIPTION),
			example_count: await countExamples(transaction, set),
			repetitions: Math.max(1, countOf(row["repetitions"]) ?? 1),
			metadata: objectTextOf(row["metadata"]),
			project_id: projects.get(textOf(row["project_name"])?.trim() ?? "") ?? null,
			user_id: users.get(Number(row["user_id"])) ?? null,
			created_at: microsOf(row["created_at"]),
			updated_at: microsOf(row["updated_at"]),
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	return id;
}

async function importRuns(
	{ source, report }: Import,
	transaction: Transaction<Tables>,
	dataset: WrittenDataset,
	experiment: { readonly from: number; readonly to: number },
): Promise<void> {
	const runs = new Map<number, { readonly id: number; readonly example: number }>();
	const ofExperiment = { where: "experiment_id = ?", parameters: [experiment.from], step: STEP_ROWS };
	for await (const rows of readTable(source, "experiment_runs", RUN_COLUMNS, ofExperiment)) {
		for (const row of rows) {
			const example = dataset.examples.get(Number(row["dataset_example_id"]));
			const repetition = countOf(row["repetition_number"]);
			if (example === undefined || repetition === undefined) {
				report.leave("runs of experiments of examples that are not there");
				continue;
			}
			const output = jsonOf(textOf(row["output"]) ?? "null");
			const inserted = await transaction
				.insertInto("experiment_runs")
				.values({
					experiment_id: experiment.to,
					example_id: example,
					repetition_number: repetition,
					output: toJsonText((isObject(output) ? output["task_output"] : output) ?? null),
					error: report.textOf(row["error"], MAX_TEXT),
					trace_id: report.textOf(row["trace_id"], MAX_LABEL),
					start_micros: microsOf(row["start_time"]),
					end_micros: microsOf(row["end_time"]),
					user_id: null,
				})
				.onConflict((conflict) => conflict.doNothing())
				.returning("id")
				.executeTakeFirst();
			if (inserted === undefined) report.leave("runs of experiments that there are twice");
			else runs.set(Number(row["id"]), { id: inserted.id, example });
		}
	}
	report.count("experiment runs", runs.size, runs.size);
	const joins = "join experiment_runs on experiment_runs.id = experiment_run_id";
	for await (const rows of readTable(source, "experiment_run_annotations", EVALUATION_COLUMNS, {
		...ofExperiment,
		joins,
	})) {
		const values = rows.flatMap((row): Insertable<Tables["experiment_evaluations"]>[] => {
			const run = runs.get(Number(row["experiment_run_id"]));
			const kind = ANNOTATOR_KINDS.find((known) => known === row["annotator_kind"]);
			const name = report.nameOf(row, "evaluations of experiments");
			if (run === undefined || kind === undefined || name === undefined) return [];
			return [
				{
					run_id: run.id,
					experiment_id: experiment.to,
					example_id: run.example,
					name,
					annotator_kind: kind,
					label: report.textOf(row["label"], MAX_LABEL),
					score: numberOf(row["score"]),
					explanation: report.textOf(row["explanation"], MAX_TEXT),
					error: report.textOf(row["error"], MAX_TEXT),
					metadata: objectTextOf(row["metadata"]),
					trace_id: report.textOf(row["trace_id"], MAX_LABEL),
					start_micros: microsOf(row["start_time"]),
					end_micros: microsOf(row["end_time"]),
				},
			];
		});
		const inserted =
			values.length === 0
				? []
				: await transaction
						.insertInto("experiment_evaluations")
						.values(values)
						.onConflict((conflict) => conflict.doNothing())
						.returning("id")
						.execute();
		report.count("experiment evaluations", rows.length, inserted.length);
	}
}
