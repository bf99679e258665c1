import type { Kysely, Transaction } from "kysely";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { toHome } from "#http/seen-homes.ts";
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

/** The actor enters the home of the dataset that the upload is for. @throws UserError 403 `project_role_needed` */
export async function enterHome(db: Kysely<Tables>, actor: Actor, { name }: Upload): Promise<void> {
	const [present] = await listDatasets(db, actor.rights, { limit: 1, name });
	actor.enter(toHome(present?.project_id ?? null));
}

/**
 * Reserves the dataset for the upload, and creates it if it does not exist.
 * @throws UserError 409 when the name is taken
 */
export async function beginUpload(
	transaction: Transaction<Tables>,
	{ now }: Context,
	{ name, action, description }: Upload,
	actor: Actor,
): Promise<BegunUpload | typeof BUSY> {
	const taken = await findNamed(transaction, name);
	const isHidden = taken !== undefined && !enterSeen(actor, taken.project_id);
	// Names are unique among all datasets, so a hidden one cannot be hidden entirely.
	if (isHidden || (taken?.state === "ready" && action === "create")) throw datasetExists(name);
	if (taken?.state === "uploading" || typeof taken?.version_id === "number") return BUSY;
	const time = now();
	const [before] = taken === undefined ? [] : await listDatasets(transaction, actor.rights, { limit: 1, name });
	const datasetId = before?.id ?? (await insertUploading(transaction, { name, description, now: time }));
	const version = { datasetId, versionId: await reserveVersion(transaction, datasetId), now: time };
	await insertUpload(transaction, version);
	return { version, before, splitIds: await splitsByName(transaction, datasetId) };
}
