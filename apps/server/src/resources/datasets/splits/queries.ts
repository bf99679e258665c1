import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { toJsonText } from "#http/json-values.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { cut } from "../cut-text.ts";
import { isPartOfVersion } from "../part-of-version.ts";
import type { DatasetRow } from "../queries.ts";
import type { CreateSplitBody, UpdateSplitBody } from "../schemas.ts";
import { assertRoomForSplits, type NewVersion, splitsByName } from "../version-writer.ts";

export type SplitRow = Selectable<Tables["dataset_splits"]>;

export type CountedSplit = SplitRow & { readonly example_count: number };

/** The splits that are not deleted, with the number of their examples in the newest version. */
function splitsOf(db: Kysely<Tables>, { id, latest_version }: Pick<DatasetRow, "id" | "latest_version">) {
	return db
		.selectFrom("dataset_splits")
		.selectAll("dataset_splits")
		.select(
			sql<number>`(
				select count(*) from dataset_split_examples as member
				where member.split_id = dataset_splits.id and ${isPartOfVersion("member", latest_version ?? 0)}
			)`.as("example_count"),
		)
		.where("dataset_splits.dataset_id", "=", id)
		.where("dataset_splits.deleted_at", "is", null);
}

/** The splits of {@link splitsOf}, newest first, from `fromId` downwards. */
export async function listSplits(
	db: Kysely<Tables>,
	dataset: Pick<DatasetRow, "id" | "latest_version">,
	{ limit, fromId }: { limit: number; fromId: number | undefined },
): Promise<CountedSplit[]> {
	let query = splitsOf(db, dataset).orderBy("dataset_splits.id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("dataset_splits.id", "<=", fromId);
	return await query.execute();
}

/** @throws UserError 404 */
export async function getSplit(
	db: Kysely<Tables>,
	dataset: Pick<DatasetRow, "id" | "latest_version">,
	id: number,
): Promise<CountedSplit> {
	const row = await splitsOf(db, dataset).where("dataset_splits.id", "=", id).executeTakeFirst();
	if (row === undefined) throw notFound("split_not_found", "Dataset split not found");
	return row;
}

/** @throws UserError 409 when another split has the name, 422 when the dataset has too many */
export async function insertSplit(
	transaction: Transaction<Tables>,
	{ datasetId, now }: NewVersion,
	{ name, description, color, metadata }: z.output<typeof CreateSplitBody>,
): Promise<{ id: number }> {
	assertRoomForSplits((await splitsByName(transaction, datasetId)).size + 1, name);
	const row = await transaction
		.insertInto("dataset_splits")
		.values({
			dataset_id: datasetId,
			name,
			description: description ?? null,
			color,
			metadata: toJsonText(metadata ?? {}),
			created_at: now,
			updated_at: now,
		})
		.onConflict((conflict) => conflict.doNothing())
		.returning("id")
		.executeTakeFirst();
	if (row === undefined) throw splitExists(name);
	return row;
}

/** @throws UserError 409 when another split has the name */
export async function updateSplit(
	transaction: Transaction<Tables>,
	{ datasetId, now }: NewVersion,
	before: SplitRow,
	{ name, description, color, metadata }: z.output<typeof UpdateSplitBody>,
): Promise<void> {
	if (typeof name === "string" && name !== before.name) {
		const taken = await transaction
			.selectFrom("dataset_splits")
			.select("id")
			.where("dataset_id", "=", datasetId)
			.where("name", "=", name)
			.where("deleted_at", "is", null)
			.executeTakeFirst();
		if (taken !== undefined) throw splitExists(name);
	}
	await transaction
		.updateTable("dataset_splits")
		.set({
			name: name ?? before.name,
			description: description === undefined ? before.description : description,
			color: color ?? before.color,
			metadata: metadata === undefined || metadata === null ? before.metadata : toJsonText(metadata),
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("id", "=", before.id)
		.execute();
}

/** Deletes a split as of a new version; older versions keep it. @returns how many examples were in it */
export async function deleteSplit(
	transaction: Transaction<Tables>,
	{ versionId, now }: NewVersion,
	id: number,
): Promise<number> {
	await transaction.updateTable("dataset_splits").set({ deleted_at: now }).where("id", "=", id).execute();
	const { numUpdatedRows } = await transaction
		.updateTable("dataset_split_examples")
		.set({ to_version: versionId })
		.where("split_id", "=", id)
		.where("to_version", "is", null)
		.executeTakeFirstOrThrow();
	return Number(numUpdatedRows);
}

function splitExists(name: string): UserError {
	return new UserError(409, "split_exists", `A dataset split named '${cut(name)}' already exists`);
}

/**
 * Splits by global ids or names: those that are not deleted, and deleted ones that have examples in this version.
 * @throws UserError 404 naming those that the dataset does not have
 */
export async function getSplits(
	db: Kysely<Tables>,
	{ datasetId, versionId }: { datasetId: number; versionId: number },
	identifiers: readonly string[],
): Promise<SplitRow[]> {
	const wanted = identifiers.map((text) => ({ text, id: decodeGlobalId(text, "DatasetSplit") ?? null }));
	const rows = await db
		.selectFrom("dataset_splits")
		.selectAll()
		.where("dataset_id", "=", datasetId)
		.where(
			sql<boolean>`(id in ${listed(wanted.flatMap(({ id }) => id ?? []))}
				or name in ${listed(identifiers)})`,
		)
		.where(({ or, eb, exists, selectFrom }) =>
			or([
				eb("deleted_at", "is", null),
				exists(
					selectFrom("dataset_split_examples as member")
						.select("member.example_id")
						.whereRef("member.split_id", "=", "dataset_splits.id")
						.where(isPartOfVersion("member", versionId)),
				),
			]),
		)
		.orderBy("id")
		.execute();
	const found = new Set<string | number>(rows.flatMap(({ id, name }) => [id, name]));
	const missing = wanted.filter(({ text, id }) => !found.has(text) && (id === null || !found.has(id)));
	if (missing.length === 0) return rows;
	throw notFound("split_not_found", `Dataset splits not found: ${cut(missing.map(({ text }) => text).join(", "))}`);
}
