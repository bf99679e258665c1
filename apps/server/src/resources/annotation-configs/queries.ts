import type { Kysely, Selectable, Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";

export type AnnotationConfigRow = Selectable<Tables["annotation_configs"]>;

const ID_TYPES = ["CategoricalAnnotationConfig", "ContinuousAnnotationConfig", "FreeformAnnotationConfig"] as const;

/** The row number in a config's id, whatever kind the id names: a config keeps its number when its kind changes. */
export function decodeConfigId(text: string): number | undefined {
	return ID_TYPES.map((type) => decodeGlobalId(text, type)).find((id) => id !== undefined);
}

/** As {@link decodeConfigId}, for the cursor of a list. @throws UserError 422 */
export function cursorOf(cursor: string | undefined): number | undefined {
	if (cursor === undefined || cursor === "") return undefined;
	const id = decodeConfigId(cursor);
	if (id === undefined) throw new UserError(422, "invalid_cursor", `Invalid cursor: ${cursor.slice(0, 100)}`);
	return id;
}

interface PageOfConfigs {
	readonly limit: number;
	readonly fromId: number | undefined;
	/** Only those that are assigned to this project. */
	readonly projectId?: number;
}

/** Configs with the newest first, from `fromId` downwards. */
export async function listConfigs(
	db: Kysely<Tables>,
	{ limit, fromId, projectId }: PageOfConfigs,
): Promise<AnnotationConfigRow[]> {
	let query = db.selectFrom("annotation_configs").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (projectId !== undefined) {
		query = query.where("id", "in", (assigned) =>
			assigned.selectFrom("project_annotation_configs").select("config_id").where("project_id", "=", projectId),
		);
	}
	return await query.execute();
}

/** The config with this global id or, if `identifier` is not one, with this name. @throws UserError 404 */
export async function getConfig(db: Kysely<Tables>, identifier: string): Promise<AnnotationConfigRow> {
	const id = decodeConfigId(identifier);
	const query = db.selectFrom("annotation_configs").selectAll();
	const found = id === undefined ? query.where("name", "=", identifier) : query.where("id", "=", id);
	const row = await found.executeTakeFirst();
	if (row === undefined) throw notFound("annotation_config_not_found", "Annotation configuration not found");
	return row;
}

/** Those of these row numbers for which a config exists. */
export async function findConfigIds(db: Kysely<Tables>, ids: readonly number[]): Promise<number[]> {
	if (ids.length === 0) return [];
	const rows = await db.selectFrom("annotation_configs").select("id").where("id", "in", ids).execute();
	return rows.map((row) => row.id);
}

/** @returns undefined when the name is taken */
export async function insertConfig(
	transaction: Transaction<Tables>,
	config: { name: string; definition: string; now: number },
): Promise<AnnotationConfigRow | undefined> {
	const { name, definition, now } = config;
	return await transaction
		.insertInto("annotation_configs")
		.values({ name, definition, created_at: now, updated_at: now })
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
}

/** @returns undefined when another config has the name */
export async function updateConfig(
	transaction: Transaction<Tables>,
	before: AnnotationConfigRow,
	config: { name: string; definition: string; now: number },
): Promise<AnnotationConfigRow | undefined> {
	const { name, definition, now } = config;
	const taken = await transaction
		.selectFrom("annotation_configs")
		.select("id")
		.where("name", "=", name)
		.executeTakeFirst();
	if (taken !== undefined && taken.id !== before.id) return undefined;
	return await transaction
		.updateTable("annotation_configs")
		.set({ name, definition, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirst();
}

export async function deleteConfig(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.deleteFrom("annotation_configs").where("id", "=", id).execute();
}

/** Assigns those configs that are not assigned yet. */
export async function assignConfigs(
	transaction: Transaction<Tables>,
	projectId: number,
	configIds: readonly number[],
): Promise<void> {
	if (configIds.length === 0) return;
	await transaction
		.insertInto("project_annotation_configs")
		.values(configIds.map((config_id) => ({ project_id: projectId, config_id })))
		.onConflict((conflict) => conflict.doNothing())
		.execute();
}

/** Removes the assignment of one config, or of all configs, from a project. */
export async function unassignConfigs(
	transaction: Transaction<Tables>,
	projectId: number,
	configId?: number,
): Promise<void> {
	const query = transaction.deleteFrom("project_annotation_configs").where("project_id", "=", projectId);
	await (configId === undefined ? query : query.where("config_id", "=", configId)).execute();
}
