import type { Transaction } from "kysely";
import type { Context } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import { BUSY, reserveVersion } from "../change-dataset.ts";
import { type DatasetRow, datasetExists, listDatasets } from "../queries.ts";
import { type NewVersion, splitsByName } from "../version-writer.ts";
import { findNamed, insertUpload, insertUploading } from "./queries.ts";
import type { Upload } from "./uploaded-rows.ts";

/** An upload whose rows can be written. */
export interface BegunUpload {
	readonly version: NewVersion;
	/** The dataset before the upload; undefined if the upload creates it. */
	readonly before: DatasetRow | undefined;
	/** Row numbers by name. */
	readonly splitIds: Map<string, number>;
}

/**
 * Reserves the dataset for the upload, and creates it if it does not exist.
 * @throws UserError 409 when the name is taken
 */
export async function beginUpload(
	transaction: Transaction<Tables>,
	{ now }: Context,
	{ name, action, description }: Upload,
): Promise<BegunUpload | typeof BUSY> {
	const taken = await findNamed(transaction, name);
	if (taken?.state === "ready" && action === "create") throw datasetExists(name);
	if (taken?.state === "uploading" || typeof taken?.version_id === "number") return BUSY;
	const time = now();
	const [before] = taken === undefined ? [] : await listDatasets(transaction, { limit: 1, name });
	const datasetId = before?.id ?? (await insertUploading(transaction, { name, description, now: time }));
	const version = { datasetId, versionId: await reserveVersion(transaction, datasetId), now: time };
	await insertUpload(transaction, version);
	return { version, before, splitIds: await splitsByName(transaction, datasetId) };
}
