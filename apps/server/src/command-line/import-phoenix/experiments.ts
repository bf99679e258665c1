import type { Insertable, Transaction } from "kysely";
import { countExamples } from "../../experiments/examples.ts";
import { toJsonText } from "../../http/json-values.ts";
import type { Tables } from "../../storage/schema.ts";
import type { WrittenDataset } from "./datasets.ts";
import { jsonOf, microsOf, numberOf, objectTextOf, readTable, type SourceRow, textOf } from "./source.ts";
import { isObject } from "./spans.ts";
import type { Import } from "./target.ts";

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
/** Outputs may be long. */
const STEP_ROWS = 100;

/** The experiments of a dataset with their runs, evaluations and tags. */
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
			if (experiment === undefined) continue;
			await transaction
				.insertInto("experiment_tags")
				.values({
					dataset_id: dataset.id,
					experiment_id: experiment,
					name: String(row["name"]),
					description: textOf(row["description"]),
				})
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
		report.leave("experiments that were made to be thrown away");
		return undefined;
	}
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
			name: String(row["name"]),
			description: textOf(row["description"]),
			example_count: await countExamples(transaction, set),
			repetitions: numberOf(row["repetitions"]) ?? 1,
			metadata: objectTextOf(row["metadata"]),
			project_id: projects.get(textOf(row["project_name"]) ?? "") ?? null,
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
			if (example === undefined) {
				report.leave("runs of experiments of examples that are not there");
				continue;
			}
			const output = jsonOf(textOf(row["output"]) ?? "null");
			const { id } = await transaction
				.insertInto("experiment_runs")
				.values({
					experiment_id: experiment.to,
					example_id: example,
					repetition_number: Number(row["repetition_number"]),
					output: toJsonText((isObject(output) ? output["task_output"] : output) ?? null),
					error: textOf(row["error"]),
					trace_id: textOf(row["trace_id"]),
					start_micros: microsOf(row["start_time"]),
					end_micros: microsOf(row["end_time"]),
					user_id: null,
				})
				.returning("id")
				.executeTakeFirstOrThrow();
			runs.set(Number(row["id"]), { id, example });
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
			const kind = (["LLM", "CODE", "HUMAN"] as const).find((known) => known === row["annotator_kind"]);
			if (run === undefined || kind === undefined) return [];
			return [
				{
					run_id: run.id,
					experiment_id: experiment.to,
					example_id: run.example,
					name: String(row["name"]),
					annotator_kind: kind,
					label: textOf(row["label"]),
					score: numberOf(row["score"]),
					explanation: textOf(row["explanation"]),
					error: textOf(row["error"]),
					metadata: objectTextOf(row["metadata"]),
					trace_id: textOf(row["trace_id"]),
					start_micros: microsOf(row["start_time"]),
					end_micros: microsOf(row["end_time"]),
				},
			];
		});
		if (values.length > 0) await transaction.insertInto("experiment_evaluations").values(values).execute();
		report.count("experiment evaluations", rows.length, values.length);
	}
}
