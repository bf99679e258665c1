import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { type Principal, userOf } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { type DatasetRow, getDataset } from "./queries.ts";
import type { NewVersion } from "./version-writer.ts";

/** How long a change waits for an upload to the same dataset. */
const WAIT_MS = 30_000;
const LOOK_MS = 100;

/** How many examples a version added, changed and deleted. */
export interface Counts {
	readonly created: number;
	readonly updated: number;
	readonly deleted: number;
}

export interface Change<T> {
	readonly dataset: DatasetRow;
	/** The newest version after the change; null for a dataset without versions. */
	readonly versionId: number | null;
	readonly counts: Counts;
	readonly result: T;
}

type Work<T> = (
	transaction: Transaction<Tables>,
	version: NewVersion,
	dataset: DatasetRow,
) => Promise<{ counts: Counts; result: T }>;

/**
 * Changes a dataset, whose home the actor has entered, in one transaction, which makes a version unless nothing changed.
 * Waits while an upload to the dataset is in progress.
 * @throws UserError 404 when the dataset was deleted, 403 `project_role_needed`, 409 when the upload takes longer than {@link WAIT_MS}
 */
export async function changeDataset<T>(
	{ now }: Context,
	{ datasetId, actor }: { datasetId: string; actor: Actor },
	work: Work<T>,
): Promise<Change<T>> {
	return await whenFree(() =>
		actor.change(async (transaction, principal) => {
			const dataset = await getDataset(transaction, actor, datasetId);
			// A run that only reads its project was admitted with less.
			actor.enter(toHome(dataset.project_id), "editor");
			if (await isBusy(transaction, dataset.id)) return BUSY;
			const version = { datasetId: dataset.id, versionId: await reserveVersion(transaction, dataset.id), now: now() };
			const { counts, result } = await work(transaction, version, dataset);
			if (counts.created + counts.updated + counts.deleted === 0) {
				return { dataset, versionId: dataset.latest_version, counts, result };
			}
			await insertVersion(transaction, version, dataset, { counts, description: null, principal });
			return { dataset, versionId: version.versionId, counts, result };
		}),
	);
}

/** Returned when another version of the dataset is being made. */
export const BUSY = Symbol("busy");

/**
 * Repeats `attempt` until it does not return {@link BUSY}.
 * @throws UserError 409 after {@link WAIT_MS}
 */
export async function whenFree<T>(attempt: () => Promise<T | typeof BUSY>): Promise<T> {
	const end = performance.now() + WAIT_MS;
	for (;;) {
		const outcome = await attempt();
		if (outcome !== BUSY) return outcome;
		if (performance.now() > end) {
			throw new UserError(409, "dataset_busy", "An upload to this dataset is under way; try again when it is done.", {
				retryAfter: 10,
			});
		}
		await sleep(LOOK_MS);
	}
}

export async function isBusy(db: Kysely<Tables>, datasetId: number): Promise<boolean> {
	const upload = await db
		.selectFrom("dataset_uploads")
		.select("version_id")
		.where("dataset_id", "=", datasetId)
		.executeTakeFirst();
	return upload !== undefined;
}

/** Reserves the number of a version whose row is inserted when all of its contents are written. */
export async function reserveVersion(transaction: Transaction<Tables>, datasetId: number): Promise<number> {
	const { id } = await transaction
		.insertInto("dataset_versions")
		.values({
			dataset_id: datasetId,
			metadata: "{}",
			created_examples: 0,
			updated_examples: 0,
			deleted_examples: 0,
			example_count: 0,
			created_at: 0,
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	await transaction.deleteFrom("dataset_versions").where("id", "=", id).execute();
	return id;
}

/** Makes the version visible. */
export async function insertVersion(
	transaction: Transaction<Tables>,
	{ datasetId, versionId, now }: NewVersion,
	before: Pick<DatasetRow, "example_count" | "updated_at" | "latest_version">,
	about: { counts: Counts; description: string | null; principal: Principal },
): Promise<void> {
	const { counts, description, principal } = about;
	await transaction
		.insertInto("dataset_versions")
		.values({
			id: versionId,
			dataset_id: datasetId,
			description,
			metadata: "{}",
			created_examples: counts.created,
			updated_examples: counts.updated,
			deleted_examples: counts.deleted,
			example_count: before.example_count + counts.created - counts.deleted,
			user_id: userOf(principal)?.id ?? null,
			created_at: now,
		})
		.execute();
	await transaction
		.updateTable("datasets")
		.set({ updated_at: before.latest_version === null ? now : Math.max(now, before.updated_at + 1) })
		.where("id", "=", datasetId)
		.execute();
}
