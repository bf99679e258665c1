import type { Kysely, Selectable, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";
import type { VersionRow } from "./versions.ts";

export type TagRow = Selectable<Tables["prompt_version_tags"]>;

const MAX_TAGS = 1_000;

/** The tags of a version, newest first, from `fromId` downwards. */
export async function listTags(
	db: Kysely<Tables>,
	{ versionId, limit, fromId }: { versionId: number; limit: number; fromId?: number | undefined },
): Promise<TagRow[]> {
	let query = db
		.selectFrom("prompt_version_tags")
		.selectAll()
		.where("version_id", "=", versionId)
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

/**
 * Puts the tag on the version, and takes it from any other version of the prompt.
 * @throws UserError 422 when the prompt has too many tags
 */
export async function setTag(
	transaction: Transaction<Tables>,
	version: Pick<VersionRow, "id" | "prompt_id">,
	tag: { readonly name: string; readonly description?: string | null | undefined },
): Promise<void> {
	const on = { version_id: version.id, description: tag.description ?? null };
	await transaction
		.insertInto("prompt_version_tags")
		.values({ prompt_id: version.prompt_id, name: tag.name, ...on })
		.onConflict((conflict) => conflict.columns(["prompt_id", "name"]).doUpdateSet(on))
		.execute();
	const { count } = await transaction
		.selectFrom("prompt_version_tags")
		.where("prompt_id", "=", version.prompt_id)
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (count > MAX_TAGS) throw new UserError(422, "too_many_tags", `A prompt has at most ${MAX_TAGS} tags`);
}

/** Deletes the tag if it is on this version. */
export async function deleteTag(transaction: Transaction<Tables>, versionId: number, name: string): Promise<void> {
	await transaction
		.deleteFrom("prompt_version_tags")
		.where("version_id", "=", versionId)
		.where("name", "=", name)
		.execute();
}
