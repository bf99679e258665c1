import { sql, type Transaction } from "kysely";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Database, ReadableDatabase } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { deleteExperimentsOf } from "./delete-experiments.ts";
import type { NewVersion } from "./version-writer.ts";

/** Examples deleted per transaction, with their revisions and memberships; few, so that it is short. */
const EXAMPLES = 250;
/** Examples looked through per transaction. */
const LOOKED_THROUGH = 2_000;

/** Names of the leases by which processes on one database know what another one is working on. */
export const leaseOf = {
	upload: (versionId: number) => `dataset upload ${versionId}`,
	deletion: (datasetId: number) => `dataset deletion ${datasetId}`,
};

/** `started_at` of an upload that is being discarded. */
export const DISCARDED = 0;

/** Deletes what an upload wrote, in short transactions. Can be called again after an interruption. */
export async function discardUpload(
	{ db, discard }: Pick<Context, "db" | "discard">,
	{ datasetId, versionId }: Pick<NewVersion, "datasetId" | "versionId">,
): Promise<void> {
	const isNew = await discard.write(async (transaction) => {
		// A writer that stalled so long that its upload is discarded must not write any more.
		await transaction
			.updateTable("dataset_uploads")
			.set({ started_at: DISCARDED })
			.where("version_id", "=", versionId)
			.execute();
		const made = await transaction
			.updateTable("datasets")
			.set({ state: "deleting" })
			.where("id", "=", datasetId)
			.where("state", "=", "uploading")
			.returning("id")
			.executeTakeFirst();
		return made !== undefined;
	});
	if (isNew) return await deleteContents(discard, datasetId);

	for (let after = 0; ; ) {
		const rows = await db.read
			.selectFrom("dataset_examples")
			.select("id")
			.where("dataset_id", "=", datasetId)
			.where("id", ">", after)
			.orderBy("id")
			.limit(LOOKED_THROUGH)
			.execute();
		const last = rows.at(-1);
		if (last === undefined) break;
		const from = after;
		after = last.id;
		await discard.write((transaction) => discardBetween(transaction, { datasetId, versionId }, from, last.id));
	}
	await discard.write(async (transaction) => {
		await transaction
			.deleteFrom("dataset_splits")
			.where("dataset_id", "=", datasetId)
			.where("deleted_at", "is not", null)
			.where(({ not, exists, selectFrom }) =>
				not(
					exists(
						selectFrom("dataset_split_examples as member")
							.select("member.example_id")
							.whereRef("member.split_id", "=", "dataset_splits.id"),
					),
				),
			)
			.execute();
		await transaction.deleteFrom("dataset_uploads").where("version_id", "=", versionId).execute();
	});
}

async function discardBetween(
	transaction: Transaction<Tables>,
	{ datasetId, versionId }: Pick<NewVersion, "datasetId" | "versionId">,
	after: number,
	last: number,
): Promise<void> {
	for (const table of ["dataset_example_revisions", "dataset_split_examples"] as const) {
		await transaction
			.deleteFrom(table)
			.where("example_id", ">", after)
			.where("example_id", "<=", last)
			.where("from_version", "=", versionId)
			.execute();
		await transaction
			.updateTable(table)
			.set({ to_version: null })
			.where("example_id", ">", after)
			.where("example_id", "<=", last)
			.where("to_version", "=", versionId)
			.execute();
	}
	await transaction
		.deleteFrom("dataset_examples")
		.where("dataset_id", "=", datasetId)
		.where("id", ">", after)
		.where("id", "<=", last)
		.where(({ not, exists, selectFrom }) =>
			not(
				exists(
					selectFrom("dataset_example_revisions as revision")
						.select("revision.id")
						.whereRef("revision.example_id", "=", "dataset_examples.id"),
				),
			),
		)
		.execute();
}

/** Hides a dataset that will be deleted: its name is free, and nobody sees or changes it. */
export async function hideDataset(transaction: Transaction<Tables>, datasetId: number): Promise<void> {
	await transaction.updateTable("datasets").set({ state: "deleting" }).where("id", "=", datasetId).execute();
	await transaction.deleteFrom("dataset_uploads").where("dataset_id", "=", datasetId).execute();
}

/** Deletes a hidden dataset with its experiments and their traces, in short transactions. Can be called again. */
export async function deleteDataset(context: Pick<Context, "db" | "discard">, datasetId: number): Promise<void> {
	await deleteExperimentsOf(context, datasetId);
	await deleteContents(context.discard, datasetId);
}

async function deleteContents(discard: Pick<Database, "write">, datasetId: number): Promise<void> {
	for (;;) {
		const deleted = await discard.write(async (transaction) => {
			const { numAffectedRows } = await sql`
				delete from dataset_examples
				where id in (select id from dataset_examples where dataset_id = ${datasetId} limit ${EXAMPLES})`.execute(
				transaction,
			);
			return present(numAffectedRows, "the count of deleted examples");
		});
		if (deleted === 0n) break;
	}
	await discard.write((transaction) => transaction.deleteFrom("datasets").where("id", "=", datasetId).execute());
}

/** The uploads and deletions (by dataset) that ended processes left unfinished. */
export interface Unfinished {
	readonly uploads: readonly Pick<NewVersion, "datasetId" | "versionId">[];
	readonly deletions: readonly number[];
}

/** Where one process has the database, to be called before its first request: later ones include its own. */
export async function findUnfinished({ read }: ReadableDatabase): Promise<Unfinished> {
	const uploads = await read
		.selectFrom("dataset_uploads")
		.select(["dataset_id as datasetId", "version_id as versionId"])
		// These go on after a restart.
		.where("version_id", "not in", (runs) => runs.selectFrom("review_gold_runs").select("version_id"))
		.execute();
	const deletions = await read.selectFrom("datasets").select("id").where("state", "=", "deleting").execute();
	return { uploads, deletions: deletions.map(({ id }) => id) };
}

/** Discards the uploads, and completes the deletions, that no other process is working on. */
export async function finish(
	context: Pick<Context, "cluster" | "db" | "discard">,
	{ uploads, deletions }: Unfinished,
	stopped: AbortSignal,
): Promise<void> {
	const { cluster } = context;
	for (const upload of uploads) {
		if (stopped.aborted) return;
		await cluster.withLease(leaseOf.upload(upload.versionId), () => discardUpload(context, upload));
	}
	for (const datasetId of deletions) {
		if (stopped.aborted) return;
		await cluster.withLease(leaseOf.deletion(datasetId), () => deleteDataset(context, datasetId));
	}
}
