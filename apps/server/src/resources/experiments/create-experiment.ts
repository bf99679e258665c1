import { randomBytes } from "node:crypto";
import type { Insertable, Kysely, Transaction } from "kysely";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { type DatasetRow, datasetNotFound, findDataset, getVersion } from "../datasets/queries.ts";
import { getSplits } from "../datasets/splits/queries.ts";
import { countExamples } from "./examples.ts";
import { type ExperimentRow, insertExperiment } from "./queries.ts";

type Row = Insertable<Tables["experiments"]>;
type ExamplesOf = Pick<Row, "dataset_id" | "dataset_version_id" | "example_count"> & {
	readonly split_ids: string | null;
};

/**
 * The examples that an experiment on a version, or on some splits of it, has from now on.
 * @throws UserError 404 when there is no such version or split
 */
export async function chooseExamples(
	db: Kysely<Tables>,
	dataset: Pick<DatasetRow, "id">,
	chosen: { readonly versionId: string | undefined; readonly splits: readonly string[] | undefined },
): Promise<ExamplesOf> {
	const version = await getVersion(db, dataset.id, chosen.versionId);
	const within = { datasetId: dataset.id, versionId: version.id };
	const splits = chosen.splits?.length ? await getSplits(db, within, chosen.splits) : undefined;
	const examples = {
		dataset_id: dataset.id,
		dataset_version_id: version.id,
		split_ids: splits === undefined ? null : JSON.stringify(splits.map(({ id }) => id)),
	};
	const count = splits === undefined ? version.example_count : await countExamples(db, examples);
	return { ...examples, example_count: count };
}

/** The name of an experiment that was given none. */
export function unnamedExperiment(dataset: Pick<DatasetRow, "name">): string {
	return `${Array.from(dataset.name).slice(0, 8).join("")}-${randomBytes(4).toString("hex")}`;
}

/**
 * Makes an experiment and its project, in the home of its dataset. Call `auth.rights.invalidate()` when the transaction
 * is committed: whoever sees the dataset sees the new project, too.
 * @throws UserError 404 when the dataset was deleted meanwhile
 */
export async function createExperiment(
	transaction: Transaction<Tables>,
	{ rights }: Context["auth"],
	actor: Actor,
	experiment: Omit<Row, "project_id" | "updated_at">,
): Promise<ExperimentRow> {
	const dataset = await findDataset(transaction, actor, experiment.dataset_id);
	if (dataset === undefined) throw datasetNotFound("Dataset was deleted");
	const { restricted } = await rights.stateIn(transaction);
	if (restricted.has(toHome(dataset.project_id))) await noteRightsChange(transaction);
	const version = encodeGlobalId("DatasetVersion", experiment.dataset_version_id);
	return await insertExperiment(transaction, experiment, {
		home: dataset.project_id,
		description: `dataset_id: ${encodeGlobalId("Dataset", dataset.id)}\ndataset_version_id: ${version}`,
		pinnedAccess: rights.pinnedAccess,
	});
}
