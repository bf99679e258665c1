import type { Kysely, Selectable, Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { cut } from "../cut-text.ts";

export type LabelRow = Selectable<Tables["dataset_labels"]>;

/** Labels with the newest first, from `fromId` downwards. */
export async function listLabels(
	db: Kysely<Tables>,
	{ limit, fromId }: { limit: number; fromId: number | undefined },
): Promise<LabelRow[]> {
	let query = db.selectFrom("dataset_labels").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

/** @throws UserError 404 */
export async function getLabel(db: Kysely<Tables>, id: number): Promise<LabelRow> {
	const row = await db.selectFrom("dataset_labels").selectAll().where("id", "=", id).executeTakeFirst();
	if (row === undefined) throw labelNotFound(id);
	return row;
}

/** @throws UserError 409 when another label has the name */
export async function insertLabel(
	transaction: Transaction<Tables>,
	label: { name: string; color: string; description: string | null; now: number },
): Promise<LabelRow> {
	const { now, ...values } = label;
	const row = await transaction
		.insertInto("dataset_labels")
		.values({ ...values, updated_at: now })
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
	if (row === undefined) throw labelExists(label.name);
	return row;
}

/** @throws UserError 409 when another label has the name */
export async function updateLabel(
	transaction: Transaction<Tables>,
	before: LabelRow,
	label: { name: string; color: string; description: string | null; now: number },
): Promise<LabelRow> {
	const { now, ...values } = label;
	if (label.name !== before.name) await assertLabelFree(transaction, label.name);
	return await transaction
		.updateTable("dataset_labels")
		.set({ ...values, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

async function assertLabelFree(transaction: Transaction<Tables>, name: string): Promise<void> {
	const taken = await transaction.selectFrom("dataset_labels").select("id").where("name", "=", name).executeTakeFirst();
	if (taken !== undefined) throw labelExists(name);
}

/** Deletes a label, also from all datasets that have it. */
export async function deleteLabel(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.deleteFrom("dataset_labels").where("id", "=", id).execute();
}

/** The labels of a dataset, by name. */
export async function listLabelsOf(db: Kysely<Tables>, datasetId: number): Promise<LabelRow[]> {
	return await db
		.selectFrom("dataset_labels")
		.innerJoin("labels_of_datasets", "labels_of_datasets.label_id", "dataset_labels.id")
		.selectAll("dataset_labels")
		.where("labels_of_datasets.dataset_id", "=", datasetId)
		.orderBy("dataset_labels.name")
		.execute();
}

/** Gives a dataset exactly these labels. @throws UserError 404 naming one that does not exist */
export async function setLabels(
	transaction: Transaction<Tables>,
	datasetId: number,
	labelIds: readonly number[],
): Promise<void> {
	await assertLabels(transaction, labelIds);
	await transaction.deleteFrom("labels_of_datasets").where("dataset_id", "=", datasetId).execute();
	if (labelIds.length === 0) return;
	await transaction
		.insertInto("labels_of_datasets")
		.values(labelIds.map((label_id) => ({ dataset_id: datasetId, label_id })))
		.execute();
}

async function assertLabels(transaction: Transaction<Tables>, ids: readonly number[]): Promise<void> {
	const rows = await transaction.selectFrom("dataset_labels").select("id").where("id", "in", listed(ids)).execute();
	const found = new Set(rows.map(({ id }) => id));
	const missing = ids.find((id) => !found.has(id));
	if (missing !== undefined) throw labelNotFound(missing);
}

/** Idempotent: a dataset that has the label already keeps it. */
export async function addLabel(transaction: Transaction<Tables>, datasetId: number, labelId: number): Promise<void> {
	await transaction
		.insertInto("labels_of_datasets")
		.values({ dataset_id: datasetId, label_id: labelId })
		.onConflict((conflict) => conflict.doNothing())
		.execute();
}

export async function removeLabel(transaction: Transaction<Tables>, datasetId: number, labelId: number): Promise<void> {
	await transaction
		.deleteFrom("labels_of_datasets")
		.where("dataset_id", "=", datasetId)
		.where("label_id", "=", labelId)
		.execute();
}

function labelNotFound(id: number): UserError {
	return notFound("dataset_label_not_found", `Dataset label with ID ${encodeGlobalId("DatasetLabel", id)} not found`);
}

function labelExists(name: string): UserError {
	return new UserError(409, "dataset_label_exists", `A dataset label named '${cut(name)}' already exists`);
}
