import { type Kysely, type Selectable, sql } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId, isGlobalId } from "#http/global-ids.ts";
import type { Home, Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { toProjectId } from "../projects/homes.ts";
import { cut } from "./cut-text.ts";

/** Who looks something up, and enters its home. */
type Visitor = Pick<Actor, "rights" | "enter" | "noteHidden">;

export type VersionRow = Selectable<Tables["dataset_versions"]>;

/** A visible dataset, with its newest version. */
export interface DatasetRow extends Selectable<Tables["datasets"]> {
	/** Null while the dataset has no version. */
	readonly latest_version: number | null;
	readonly example_count: number;
}

function datasets(db: Kysely<Tables>) {
	return db
		.selectFrom("datasets")
		.leftJoin("dataset_versions as latest", (join) =>
			join.on("latest.id", "=", (eb) =>
				eb
					.selectFrom("dataset_versions")
					.select(({ fn }) => fn.max("dataset_versions.id").as("id"))
					.whereRef("dataset_versions.dataset_id", "=", "datasets.id"),
			),
		)
		.where("datasets.state", "=", "ready")
		.selectAll("datasets")
		.select(["latest.id as latest_version", sql<number>`coalesce(latest.example_count, 0)`.as("example_count")]);
}

export interface DatasetListQuery {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly name?: string | undefined;
	/** Only those that live there. */
	readonly home?: Home | undefined;
}

/** Datasets that are seen, with the newest first, from `fromId` downwards. */
export async function listDatasets(
	db: Kysely<Tables>,
	rights: Rights,
	{ limit, fromId, name, home }: DatasetListQuery,
): Promise<DatasetRow[]> {
	let query = datasets(db).where(isSeenHome("datasets.project_id", rights)).orderBy("datasets.id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("datasets.id", "<=", fromId);
	if (name !== undefined) query = query.where("datasets.name", "=", name);
	if (home !== undefined) query = query.where("datasets.project_id", "is not distinct from", toProjectId(home));
	return await query.execute();
}

/**
 * The row number in a dataset's global id.
 * @throws UserError 422 when the text is not a global id, 404 when it is the id of something else
 */
export function parseDatasetId(globalId: string): number {
	const id = decodeGlobalId(globalId, "Dataset");
	if (id === undefined && isGlobalId(globalId)) throw datasetNotFound(`Dataset with ID ${cut(globalId)} not found`);
	if (id === undefined) throw new UserError(422, "invalid_dataset_id", `Invalid dataset ID format: ${cut(globalId)}`);
	return id;
}

/**
 * The dataset of a global id, among those that the actor sees. The actor enters its home.
 * @throws UserError 422 when the text is not a global id, 404 when there is no such dataset, 403 `project_role_needed`
 */
export async function getDataset(db: Kysely<Tables>, actor: Visitor, globalId: string): Promise<DatasetRow> {
	const row = await findDataset(db, actor, parseDatasetId(globalId));
	if (row === undefined) throw datasetNotFound(`Dataset with ID ${cut(globalId)} not found`);
	return row;
}

/**
 * The dataset with this global id or, if `identifier` is not one, with this name, among those that the actor sees. The
 * actor enters its home.
 * @throws UserError 404, 403 `project_role_needed`
 */
export async function getDatasetByIdentifier(
	db: Kysely<Tables>,
	actor: Visitor,
	identifier: string,
): Promise<DatasetRow> {
	if (decodeGlobalId(identifier, "Dataset") !== undefined) return await getDataset(db, actor, identifier);
	const [row] = await listDatasets(db, actor.rights, { limit: 1, name: identifier });
	if (row === undefined || !enterSeen(actor, row.project_id))
		throw datasetNotFound(`Dataset with name ${cut(identifier)} not found`);
	return row;
}

/**
 * The dataset with this row number, among those that the actor sees. The actor enters its home.
 * @throws UserError 403 `project_role_needed`
 */
export async function findDataset(db: Kysely<Tables>, actor: Visitor, id: number): Promise<DatasetRow | undefined> {
	const row = await datasets(db).where("datasets.id", "=", id).executeTakeFirst();
	return row !== undefined && enterSeen(actor, row.project_id) ? row : undefined;
}

export function datasetNotFound(message: string): UserError {
	return notFound("dataset_not_found", message);
}

/** Versions with the newest first, from `fromId` downwards. */
export async function listVersions(
	db: Kysely<Tables>,
	{ datasetId, limit, fromId }: { datasetId: number; limit: number; fromId?: number | undefined },
): Promise<VersionRow[]> {
	let query = db
		.selectFrom("dataset_versions")
		.selectAll()
		.where("dataset_id", "=", datasetId)
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

/**
 * The version of a global id, or the newest one.
 * @throws UserError 422 when the text is not the id of a version, 404 when the dataset has no such version, or no version
 */
export async function getVersion(
	db: Kysely<Tables>,
	datasetId: number,
	globalId: string | undefined,
): Promise<VersionRow> {
	if (globalId === undefined || globalId === "") {
		const [latest] = await listVersions(db, { datasetId, limit: 1 });
		if (latest === undefined) throw notFound("dataset_without_versions", "Dataset has no versions.");
		return latest;
	}
	const id = decodeGlobalId(globalId, "DatasetVersion");
	if (id === undefined) {
		throw new UserError(422, "invalid_version_id", `Invalid dataset version ID: ${cut(globalId)}`);
	}
	const row = await db
		.selectFrom("dataset_versions")
		.selectAll()
		.where("id", "=", id)
		.where("dataset_id", "=", datasetId)
		.executeTakeFirst();
	if (row === undefined) throw notFound("dataset_version_not_found", `Dataset version ${cut(globalId)} not found`);
	return row;
}

/** @throws UserError 409 when another dataset has the name */
export async function assertNameFree(db: Kysely<Tables>, name: string): Promise<void> {
	const taken = await db
		.selectFrom("datasets")
		.select("id")
		.where("name", "=", name)
		.where("state", "<>", "deleting")
		.executeTakeFirst();
	if (taken !== undefined) throw datasetExists(name);
}

export function datasetExists(name: string): UserError {
	return new UserError(409, "dataset_exists", `A dataset named "${cut(name)}" already exists.`);
}
