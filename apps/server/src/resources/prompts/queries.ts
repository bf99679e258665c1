import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { identifierName } from "#http/identifier-names.ts";
import type { Home, Rights } from "#http/rights.ts";
import { isSeenHome, toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { chooseHome, getHome, toProjectId } from "../projects/homes.ts";

type Visitor = Pick<Actor, "rights" | "enter" | "noteHidden">;

export interface PromptRow extends Selectable<Tables["prompts"]> {
	/** The prompt that it was cloned from; null where that was deleted, or is not seen. */
	readonly seen_source_id: number | null;
}

function prompts(db: Kysely<Tables>, rights: Rights) {
	return db
		.selectFrom("prompts")
		.leftJoin("prompts as source", (join) =>
			join.onRef("source.id", "=", "prompts.source_prompt_id").on(isSeenHome("source.project_id", rights)),
		)
		.selectAll("prompts")
		.select("source.id as seen_source_id");
}

export interface PromptListQuery {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly nameContains?: string | undefined;
	/** Only prompts of which a version has this tag. */
	readonly tag?: string | undefined;
	/** Only those that live there. */
	readonly home?: Home | undefined;
}

/** Prompts that are seen, with the newest first, from `fromId` downwards. */
export async function listPrompts(
	db: Kysely<Tables>,
	rights: Rights,
	{ limit, fromId, nameContains, tag, home }: PromptListQuery,
): Promise<PromptRow[]> {
	let query = prompts(db, rights)
		.where(isSeenHome("prompts.project_id", rights))
		.orderBy("prompts.id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("prompts.id", "<=", fromId);
	if (home !== undefined) query = query.where("prompts.project_id", "is not distinct from", toProjectId(home));
	if (nameContains !== undefined && nameContains !== "") {
		const pattern = `%${nameContains.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`lower(prompts.name) like ${pattern} escape '\\'`);
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
 * The prompt with this global id or, if `identifier` is not one, with this name, among those that the actor sees. The
 * actor enters its home.
 * @throws UserError 422 when it can be neither, 404, 403 `project_role_needed`
 */
export async function getPrompt(db: Kysely<Tables>, actor: Visitor, identifier: string): Promise<PromptRow> {
	const id = decodeGlobalId(identifier, "Prompt");
	if (id === undefined && !identifierName.safeParse(identifier).success) {
		throw new UserError(422, "invalid_prompt_name", "Invalid prompt name");
	}
	const row =
		id === undefined ? await findPromptByName(db, actor.rights, identifier) : await findPrompt(db, actor.rights, id);
	if (row === undefined || !enterSeen(actor, row.project_id)) throw notFound("prompt_not_found", "Prompt not found");
	return row;
}

async function findPrompt(db: Kysely<Tables>, rights: Rights, id: number): Promise<PromptRow | undefined> {
	return await prompts(db, rights).where("prompts.id", "=", id).executeTakeFirst();
}

/** Also one that is not seen. */
async function findPromptByName(db: Kysely<Tables>, rights: Rights, name: string): Promise<PromptRow | undefined> {
	return await prompts(db, rights).where("prompts.name", "=", name).executeTakeFirst();
}

/**
 * Where the prompt with this name lives, or is to be created. The actor enters it.
 * @throws UserError 404, 403 `project_role_needed`, 409 when a prompt of the name lives elsewhere, 422
 */
export async function findDestination(
	context: Pick<Context, "auth" | "db">,
	actor: Actor,
	{ name, project }: { name: string; project: string | null | undefined },
): Promise<Home> {
	const db = context.db.read;
	const present = await findPromptByName(db, actor.rights, name);
	if (present === undefined) return await chooseHome(context, actor, { project });
	if (!enterSeen(actor, present.project_id)) throw promptExists(name);
	const home = toHome(present.project_id);
	if (project !== undefined && (await getHome(db, actor, project)) !== home) {
		const message = "The prompt of this name lives elsewhere: leave `project` out, or move the prompt before.";
		throw new UserError(409, "lives_elsewhere", message);
	}
	return home;
}

/** Names are unique among all prompts, so a hidden one cannot be hidden entirely. */
function promptExists(name: string): UserError {
	return new UserError(409, "prompt_exists", `A prompt named ${name} already exists.`);
}

export interface NewPrompt {
	readonly name: string;
	readonly description: string | null;
	/** Global id of the prompt that it is cloned from. */
	readonly source: string | undefined;
	readonly metadata: string;
	readonly home: Home;
	readonly now: number;
}

/**
 * The prompt with this name, which is created if there is none.
 * @throws UserError 422 or 404 when the new prompt's source is not a prompt that the actor sees, 409 when the name is
 * that of one that it does not see
 */
export async function insertOrFindPrompt(
	transaction: Transaction<Tables>,
	actor: Visitor,
	{ name, description, source, metadata, home, now }: NewPrompt,
): Promise<Pick<PromptRow, "id">> {
	const present = await findPromptByName(transaction, actor.rights, name);
	if (present !== undefined) {
		if (!enterSeen(actor, present.project_id)) throw promptExists(name);
		return present;
	}
	const row = {
		name,
		description,
		source_prompt_id: source === undefined ? null : await getSource(transaction, actor, source),
		metadata,
		project_id: toProjectId(home),
		created_at: now,
		updated_at: now,
	};
	const inserted = await transaction
		.insertInto("prompts")
		.values(row)
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returning("id")
		.executeTakeFirst();
	return inserted ?? (await getPrompt(transaction, actor, name));
}

async function getSource(db: Kysely<Tables>, actor: Visitor, source: string): Promise<number> {
	const id = decodeGlobalId(source, "Prompt");
	if (id === undefined) throw new UserError(422, "invalid_source_prompt", "Invalid source prompt ID");
	const prompt = await findPrompt(db, actor.rights, id);
	if (prompt === undefined || !enterSeen(actor, prompt.project_id, "viewer")) {
		throw notFound("source_prompt_not_found", "Source prompt not found");
	}
	return id;
}

export async function updatePrompt(
	transaction: Transaction<Tables>,
	before: PromptRow,
	change: Pick<Updateable<Tables["prompts"]>, "description" | "metadata" | "project_id">,
	now: number,
): Promise<void> {
	await transaction
		.updateTable("prompts")
		.set({ ...change, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.execute();
}
