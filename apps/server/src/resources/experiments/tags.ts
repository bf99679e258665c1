import type { Kysely, Selectable, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRow } from "./queries.ts";

export type TagRow = Selectable<Tables["experiment_tags"]>;

const MAX_TAGS = 1_000;

export async function listTags(db: Kysely<Tables>, experimentId: number): Promise<TagRow[]> {
	return await db
		.selectFrom("experiment_tags")
		.selectAll()
		.where("experiment_id", "=", experimentId)
		.orderBy("name")
		.execute();
}

/** The row number of the experiment that has the tag. */
export async function findTagged(db: Kysely<Tables>, datasetId: number, name: string): Promise<number | undefined> {
	const tag = await db
		.selectFrom("experiment_tags")
		.select("experiment_id")
		.where("dataset_id", "=", datasetId)
		.where("name", "=", name)
		.executeTakeFirst();
	return tag?.experiment_id;
}

/**
 * Puts the tag on the experiment, and takes it from any other one of the dataset.
 * @throws UserError 422 when the dataset has too many tags
 */
export async function setTag(
	transaction: Transaction<Tables>,
	experiment: ExperimentRow,
	tag: { readonly name: string; readonly description: string | null },
): Promise<TagRow> {
	const row = { dataset_id: experiment.dataset_id, experiment_id: experiment.id, ...tag };
	const set = await transaction
		.insertInto("experiment_tags")
		.values(row)
		.onConflict((conflict) =>
			conflict
				.columns(["dataset_id", "name"])
				.doUpdateSet({ experiment_id: row.experiment_id, description: row.description }),
		)
		.returningAll()
		.executeTakeFirstOrThrow();
	const { count } = await transaction
		.selectFrom("experiment_tags")
		.where("dataset_id", "=", row.dataset_id)
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (count > MAX_TAGS)
		throw new UserError(422, "too_many_tags", `A dataset's experiments have at most ${MAX_TAGS} tags`);
	return set;
}

/** Deletes the tag with this id or name, if it is on the experiment. */
export async function deleteTag(
	transaction: Transaction<Tables>,
	experimentId: number,
	identifier: string,
): Promise<void> {
	const id = decodeGlobalId(identifier, "ExperimentTag");
	await transaction
		.deleteFrom("experiment_tags")
		.where("experiment_id", "=", experimentId)
		.where(id === undefined ? "name" : "id", "=", id ?? identifier)
		.execute();
}
