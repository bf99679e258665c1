import type { FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import { checkWidening, chooseHome, getHome, homesOfProjects, toProjectId } from "#resources/projects/homes.ts";
import type { Tables } from "#storage/schema.ts";
import { BUSY, reserveVersion } from "../change-dataset.ts";
import { findLinkedSpans } from "../linked-spans.ts";
import { type DatasetRow, datasetExists, listDatasets } from "../queries.ts";
import { type NewVersion, splitsByName } from "../version-writer.ts";
import { inBatches } from "./batches.ts";
import { findNamed, insertUpload, insertUploading } from "./queries.ts";
import type { Upload } from "./uploaded-rows.ts";

/** Who uploads, and from where. */
export type Uploader = Pick<FastifyRequest, "actor" | "ip" | "id" | "headers">;

/** An upload whose rows can be written. */
export interface BegunUpload {
	readonly version: NewVersion;
	/** The dataset before the upload; undefined if the upload creates it. */
	readonly before: DatasetRow | undefined;
	/** Row numbers by name. */
	readonly splitIds: Map<string, number>;
}

/** Where the dataset of an upload lives, or is to be created. */
interface Destination {
	readonly home: Home;
	readonly isNew: boolean;
}

/**
 * The homes of the spans that an upload names. Its rows are read for that only where anything is restricted, as nothing
 * depends on it otherwise.
 */
export async function sourcesOf(context: Context, actor: Actor, upload: Upload): Promise<ReadonlySet<Home>> {
	const { restricted } = await context.auth.rights.state();
	const projectIds = new Set<number>();
	if (restricted.size === 0 || !upload.hasSpanIds) return projectIds;
	for await (const rows of inBatches(upload.rows(), context.config.SERVICE_MAX_UPLOAD_BYTES)) {
		for (const { projectId } of (await findLinkedSpans(actor, rows)).values()) projectIds.add(projectId);
	}
	return await homesOfProjects(context, projectIds);
}

/**
 * Where an upload goes; the actor enters it.
 * @throws UserError 404, 403 `project_role_needed`, 409 when the name is taken, or more people would see its spans, 422
 */
export async function findDestination(
	context: Context,
	actor: Actor,
	{ name, action, project, isWiderAllowed }: Upload,
	sources: ReadonlySet<Home>,
): Promise<Destination> {
	const [present] = await listDatasets(context.db.read, actor.rights, { limit: 1, name });
	let home: Home;
	if (present === undefined) home = await chooseHome(context, actor, { project, sources });
	else {
		if (action === "create") throw datasetExists(name);
		home = toHome(present.project_id);
		actor.enter(home);
		if (project !== undefined && (await getHome(context.db.read, actor, project)) !== home) {
			const message = "The dataset of this name lives elsewhere: leave `project` out, or move the dataset before.";
			throw new UserError(409, "lives_elsewhere", message);
		}
	}
	await checkWidening(context, context.db.read, actor, { from: sources, to: home, isAllowed: isWiderAllowed });
	return { home, isNew: present === undefined };
}

/**
 * Reserves the dataset for the upload, and creates it if it does not exist.
 * @returns {@link BUSY} also when the dataset was created, deleted or moved since {@link findDestination}
 * @throws UserError 409 when the name is taken
 */
export async function beginUpload(
	transaction: Transaction<Tables>,
	{ now }: Context,
	{ name, action, description }: Upload,
	{ uploader, destination }: { readonly uploader: Uploader; readonly destination: Destination },
): Promise<BegunUpload | typeof BUSY> {
	const { actor } = uploader;
	const taken = await findNamed(transaction, name);
	const isHidden = taken !== undefined && !enterSeen(actor, taken.project_id);
	// Names are unique among all datasets, so a hidden one cannot be hidden entirely.
	if (isHidden || (taken?.state === "ready" && action === "create")) throw datasetExists(name);
	if (taken?.state === "uploading" || typeof taken?.version_id === "number") return BUSY;
	const { home, isNew } = destination;
	const [before] = taken === undefined ? [] : await listDatasets(transaction, actor.rights, { limit: 1, name });
	if (isNew !== (before === undefined) || (before !== undefined && toHome(before.project_id) !== home)) return BUSY;
	const time = now();
	const projectId = toProjectId(home);
	const datasetId = before?.id ?? (await insertUploading(transaction, { name, description, projectId, now: time }));
	const version = { datasetId, versionId: await reserveVersion(transaction, datasetId), now: time };
	await insertUpload(transaction, version);
	return { version, before, splitIds: await splitsByName(transaction, datasetId) };
}
