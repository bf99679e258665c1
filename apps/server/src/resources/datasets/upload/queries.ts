import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { bytesOfHex, jsonListOf, table } from "#storage/sql-pieces.ts";
import type { DatasetRow } from "../queries.ts";
import type { NewVersion } from "../version-writer.ts";

type UploadRow = Selectable<Tables["dataset_uploads"]>;

/** The dataset with this name, in any state, with the version that an upload to it makes. */
export async function findNamed(
	db: Kysely<Tables>,
	name: string,
): Promise<(Pick<DatasetRow, "state" | "project_id"> & { version_id: number | null }) | undefined> {
	return await db
		.selectFrom("datasets")
		.leftJoin("dataset_uploads", "dataset_uploads.dataset_id", "datasets.id")
		.select(["datasets.state", "datasets.project_id", "dataset_uploads.version_id"])
		.where("name", "=", name)
		.where("state", "<>", "deleting")
		.executeTakeFirst();
}

/** Inserts a dataset that nobody sees until its first version is complete. @returns its row number */
export async function insertUploading(
	transaction: Transaction<Tables>,
	{
		name,
		description,
		projectId,
		now,
	}: {
		name: string;
		description: string | null;
		projectId: number | null;
		now: number;
	},
): Promise<number> {
	const { id } = await transaction
		.insertInto("datasets")
		.values({
			...{ name, description, project_id: projectId, metadata: "{}", state: "uploading" },
			...{ created_at: now, updated_at: now },
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	return id;
}

export async function insertUpload(
	transaction: Transaction<Tables>,
	{ datasetId, versionId, now }: NewVersion,
): Promise<void> {
	await transaction
		.insertInto("dataset_uploads")
		.values({ version_id: versionId, dataset_id: datasetId, started_at: now })
		.execute();
}

/** @returns undefined when the dataset was deleted meanwhile */
export async function findUpload(
	db: Kysely<Tables>,
	versionId: number,
): Promise<Pick<UploadRow, "started_at"> | undefined> {
	return await db
		.selectFrom("dataset_uploads")
		.select("started_at")
		.where("version_id", "=", versionId)
		.executeTakeFirst();
}

export async function deleteUpload(transaction: Transaction<Tables>, versionId: number): Promise<void> {
	await transaction.deleteFrom("dataset_uploads").where("version_id", "=", versionId).execute();
}

/** Makes the dataset visible. */
export async function showDataset(transaction: Transaction<Tables>, datasetId: number): Promise<void> {
	await transaction.updateTable("datasets").set({ state: "ready" }).where("id", "=", datasetId).execute();
}

/** Row numbers of the examples from before the version, above `after`. */
export async function listOldExamples(
	db: Kysely<Tables>,
	{ datasetId, versionId }: NewVersion,
	{ after, limit }: { after: number; limit: number },
): Promise<number[]> {
	const rows = await db
		.selectFrom("dataset_example_revisions")
		.select("example_id")
		.where("dataset_id", "=", datasetId)
		.where("example_id", ">", after)
		.where("from_version", "<", versionId)
		.where("to_version", "is", null)
		.orderBy("example_id")
		.limit(limit)
		.execute();
	return rows.map(({ example_id }) => example_id);
}

/** An example, with the hash of its content unless it is deleted. */
export interface OldExample {
	readonly id: number;
	readonly external_id: string | null;
	readonly content_hash: Uint8Array | null;
}

/** Examples of the dataset, including deleted ones, by row numbers and by the caller's own ids. */
export async function findOldExamples(
	db: Kysely<Tables>,
	datasetId: number,
	{ ids, externalIds }: { ids: readonly number[]; externalIds: readonly string[] },
): Promise<{ byId: OldExample[]; byExternalId: OldExample[] }> {
	const examples = db
		.selectFrom("dataset_examples as example")
		.leftJoin("dataset_example_revisions as revision", (join) =>
			join.onRef("revision.example_id", "=", "example.id").on("revision.to_version", "is", null),
		)
		.select(["example.id", "example.external_id", "revision.content_hash"])
		.where("example.dataset_id", "=", datasetId);
	return {
		byId: await examples.where("example.id", "in", listed(ids)).execute(),
		byExternalId: await examples.where("example.external_id", "in", listed(externalIds)).execute(),
	};
}

/**
 * Examples from before the version, by the hash of their content.
 * @param wanted hashes, each with the row number above which to look
 * @returns for each hash at most `limit` row numbers, in their order
 */
export async function findByContent(
	transaction: Transaction<Tables>,
	{ datasetId, versionId }: NewVersion,
	wanted: readonly (readonly [hash: string, after: number])[],
	limit: number,
): Promise<{ hash: string; candidates: number[] }[]> {
	const { rows } = await sql<{ hash: string; ids: string }>`
		select wanted.hash, (
			select ${jsonListOf(sql`example_id`)} from (
				select example_id from dataset_example_revisions
				where dataset_id = ${datasetId}
					and content_hash = ${bytesOfHex(sql`wanted.hash`)}
					and example_id > wanted.after
					and to_version is null
					and from_version < ${versionId}
				order by example_id
				limit ${limit}
			) as candidates
		) as ids
		from ${table("wanted", { hash: "text", after: "bigint" }, wanted)}`.execute(transaction);
	return rows.map(({ hash, ids }) => ({ hash, candidates: JSON.parse(ids) }));
}
