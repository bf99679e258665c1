import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { identifierName } from "#http/identifier-names.ts";
import type { Tables } from "#storage/schema.ts";

export type PromptRow = Selectable<Tables["prompts"]>;

export interface PromptListQuery {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly nameContains?: string | undefined;
	/** Only prompts of which a version has this tag. */
	readonly tag?: string | undefined;
}

/** Prompts with the newest first, from `fromId` downwards. */
export async function listPrompts(
	db: Kysely<Tables>,
	{ limit, fromId, nameContains, tag }: PromptListQuery,
): Promise<PromptRow[]> {
	let query = db.selectFrom("prompts").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (nameContains !== undefined && nameContains !== "") {
		const pattern = `%${nameContains.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`lower(name) like ${pattern} escape '\\'`);
	}
	if (tag !== undefined) {
		query = query.where(({ exists, selectFrom }) =>
			exists(
				selectFrom("prompt_version_tags as tag")
					.select("tag.id")
					.whereRef("tag.prompt_id", "=", "prompts.id")
					.where("tag.name", "=", tag),
			),
		);
	}
	return await query.execute();
}

/**
 * The prompt with this global id or, if `identifier` is not one, with this name.
 * @throws UserError 422 when it can be neither, 404
 */
export async function getPrompt(db: Kysely<Tables>, identifier: string): Promise<PromptRow> {
	const id = decodeGlobalId(identifier, "Prompt");
	if (id === undefined && !identifierName.safeParse(identifier).success) {
		throw new UserError(422, "invalid_prompt_name", "Invalid prompt name");
	}
	const row = id === undefined ? await findPromptByName(db, identifier) : await findPrompt(db, id);
	if (row === undefined) throw notFound("prompt_not_found", "Prompt not found");
	return row;
}

async function findPrompt(db: Kysely<Tables>, id: number): Promise<PromptRow | undefined> {
	return await db.selectFrom("prompts").selectAll().where("id", "=", id).executeTakeFirst();
}

async function findPromptByName(db: Kysely<Tables>, name: string): Promise<PromptRow | undefined> {
	return await db.selectFrom("prompts").selectAll().where("name", "=", name).executeTakeFirst();
}

export interface NewPrompt {
	readonly name: string;
	readonly description: string | null;
	/** Global id. */
	readonly source: string | undefined;
	readonly metadata: string;
	readonly now: number;
}

/**
 * The prompt with this name, which is created if there is none.
 * @throws UserError 422 or 404 when the new prompt's source is not a prompt
 */
export async function insertOrFindPrompt(
	transaction: Transaction<Tables>,
	{ name, description, source, metadata, now }: NewPrompt,
): Promise<PromptRow> {
	const present = await findPromptByName(transaction, name);
	if (present !== undefined) return present;
	const row = {
		name,
		description,
		source_prompt_id: source === undefined ? null : await getSource(transaction, source),
		metadata,
		created_at: now,
		updated_at: now,
	};
	const inserted = await transaction
		.insertInto("prompts")
		.values(row)
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
	return inserted ?? (await getPrompt(transaction, name));
}

async function getSource(db: Kysely<Tables>, source: string): Promise<number> {
	const id = decodeGlobalId(source, "Prompt");
	if (id === undefined) throw new UserError(422, "invalid_source_prompt", "Invalid source prompt ID");
	if ((await findPrompt(db, id)) === undefined) throw notFound("source_prompt_not_found", "Source prompt not found");
	return id;
}

export async function updatePrompt(
	transaction: Transaction<Tables>,
	before: PromptRow,
	change: Pick<Updateable<Tables["prompts"]>, "description" | "metadata">,
	now: number,
): Promise<PromptRow> {
	return await transaction
		.updateTable("prompts")
		.set({ ...change, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}
