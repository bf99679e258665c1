import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { countThatFits } from "#http/page-size.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { jsonListOf } from "#storage/sql-pieces.ts";

export interface VersionRow extends Selectable<Tables["prompt_versions"]> {
	/** JSON list of names. */
	readonly tags: string;
}

function versions(db: Kysely<Tables>) {
	return db
		.selectFrom("prompt_versions as version")
		.selectAll("version")
		.select(
			sql<string>`(
				select ${jsonListOf(sql`name`)}
				from (select name from prompt_version_tags where version_id = version.id order by name) as tags
			)`.as("tags"),
		);
}

/**
 * Versions of a prompt with the newest first, from `fromId` downwards, as many as stay below `maxBytes`.
 * @returns with `next`, the id where the list continues
 */
export async function listVersions(
	db: Kysely<Tables>,
	query: { promptId: number; fromId?: number | undefined; limit: number; maxBytes: number },
): Promise<{ rows: VersionRow[]; next: number | undefined }> {
	let keys = db
		.selectFrom("prompt_versions")
		.where("prompt_id", "=", query.promptId)
		.select(["id", sql<number>`octet_length(definition) + octet_length(metadata)`.as("bytes")])
		.orderBy("id", "desc")
		.limit(query.limit + 1);
	if (query.fromId !== undefined) keys = keys.where("id", "<=", query.fromId);
	const found = await keys.execute();
	const count = countThatFits(found.slice(0, query.limit), query.maxBytes);
	const ids = found.slice(0, count).map(({ id }) => id);
	const rows = await versions(db).where("version.id", "in", listed(ids)).orderBy("version.id", "desc").execute();
	return { rows, next: found[count]?.id };
}

/** @throws UserError 404 */
export async function getLatestVersion(db: Kysely<Tables>, promptId: number): Promise<VersionRow> {
	const query = versions(db).where("version.prompt_id", "=", promptId).orderBy("version.id", "desc").limit(1);
	return found(await query.executeTakeFirst());
}

/** @throws UserError 404 when no version of the prompt has the tag */
export async function getTaggedVersion(db: Kysely<Tables>, promptId: number, tag: string): Promise<VersionRow> {
	const query = versions(db).where("version.id", "=", (eb) =>
		eb
			.selectFrom("prompt_version_tags")
			.select("prompt_version_tags.version_id")
			.where("prompt_version_tags.prompt_id", "=", promptId)
			.where("prompt_version_tags.name", "=", tag),
	);
	return found(await query.executeTakeFirst());
}

/**
 * The version of a global id, among those of prompts that the actor sees. The actor enters the prompt's home.
 * @throws UserError 422 when the text is not the id of a version, 404, 403 `project_role_needed`
 */
export async function getVersion(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	globalId: string,
): Promise<VersionRow> {
	const id = decodeGlobalId(globalId, "PromptVersion");
	if (id === undefined) throw new UserError(422, "invalid_prompt_version_id", "Invalid prompt version ID");
	const row = await versions(db)
		.innerJoin("prompts", "prompts.id", "version.prompt_id")
		.select("prompts.project_id")
		.where("version.id", "=", id)
		.executeTakeFirst();
	return found(row !== undefined && enterSeen(actor, row.project_id) ? row : undefined);
}

function found(row: VersionRow | undefined): VersionRow {
	if (row === undefined) throw notFound("prompt_version_not_found", "Prompt version not found");
	return row;
}

export async function insertVersion(
	transaction: Transaction<Tables>,
	version: Insertable<Tables["prompt_versions"]>,
): Promise<number> {
	const { id } = await transaction
		.insertInto("prompt_versions")
		.values(version)
		.returning("id")
		.executeTakeFirstOrThrow();
	return id;
}
