import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import { mayCall } from "#access/auth/may-call.ts";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { homesOf, isPerson, type Principal, userOf } from "#http/principal.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import type { Tables, ViewPage } from "#storage/schema.ts";

export type ViewRow = Selectable<Tables["saved_views"]>;
export type Visitor = Pick<Actor, "principal" | "rights" | "enter" | "noteHidden">;

const MAX_VIEWS = 2_000;
/** Of one owner in one project; those without an owner, and those of every project, are counted alike. */
const MAX_OF_OWNER = 200;

/** The account whose private views a principal sees, and who owns what it makes; the system and its keys have none. */
export function ownerOf(principal: Principal): number | null {
	return isPerson(principal) ? (userOf(principal)?.id ?? null) : null;
}

/** Whether these are views that the actor sees: shared and own ones, of projects that it sees. */
function isSeenView({ principal, rights }: Pick<Actor, "principal" | "rights">): RawBuilder<boolean> {
	const ofEvery = homesOf(principal) === undefined ? sql<boolean>`true` : sql<boolean>`false`;
	const isSeen = sql<boolean>`case when project_id is null then ${ofEvery} else ${isSeenProject("project_id", rights)} end`;
	// While nobody has an account, nothing is private.
	if (principal.kind === "anonymous") return isSeen;
	return sql<boolean>`(${isSeen}) and (private_to is null or private_to = ${ownerOf(principal) ?? 0})`;
}

export interface ViewListQuery {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly nameContains?: string | undefined;
	readonly page?: ViewPage | undefined;
	/** Only views for the lists of this project. */
	readonly projectId?: number | undefined;
}

/** Views that the actor sees, with the newest first, from `fromId` downwards. */
export async function listViews(
	db: Kysely<Tables>,
	actor: Pick<Actor, "principal" | "rights">,
	{ limit, fromId, nameContains, page, projectId }: ViewListQuery,
): Promise<ViewRow[]> {
	let query = db.selectFrom("saved_views").selectAll().where(isSeenView(actor)).orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (page !== undefined) query = query.where("page", "=", page);
	if (projectId !== undefined)
		query = query.where(({ or, eb }) => or([eb("project_id", "is", null), eb("project_id", "=", projectId)]));
	if (nameContains !== undefined && nameContains !== "") {
		const pattern = `%${nameContains.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`lower(name) like ${pattern} escape '\\'`);
	}
	return await query.execute();
}

/**
 * The view with this global id, among those that the actor sees. The actor enters its project.
 * @throws UserError 404, 403 `project_role_needed`, 422 when it is no id of a view
 */
export async function getView(db: Kysely<Tables>, actor: Visitor, identifier: string): Promise<ViewRow> {
	const id = decodeGlobalId(identifier, "View");
	if (id === undefined) throw new UserError(422, "invalid_view_id", `Invalid view id: ${identifier.slice(0, 100)}`);
	const row = await db.selectFrom("saved_views").selectAll().where("id", "=", id).executeTakeFirst();
	if (row !== undefined && isSeen(row, actor)) return row;
	throw notFound("view_not_found", "There is no such view");
}

function isSeen(row: ViewRow, actor: Visitor): boolean {
	const { principal } = actor;
	const isHidden = row.private_to !== null && principal.kind !== "anonymous" && row.private_to !== ownerOf(principal);
	if (isHidden) return false;
	return row.project_id === null ? homesOf(principal) === undefined : enterSeen(actor, row.project_id);
}

/**
 * Whether somebody may delete a shared view, or make it private.
 * @throws UserError 403
 */
export function assertOwnView(principal: Principal, { owner_id }: Pick<ViewRow, "owner_id">, what: string): void {
	if (owner_id !== null && owner_id === ownerOf(principal)) return;
	throw new UserError(403, "not_own_view", what);
}

/** As {@link assertOwnView}, but admins may. */
export function assertMayDelete(principal: Principal, row: Pick<ViewRow, "owner_id">): void {
	if (mayCall(principal, "admin")) return;
	assertOwnView(principal, row, "Only admins delete the views of others.");
}

export interface NewView extends Pick<ViewRow, "name" | "page" | "project_id" | "state" | "owner_id" | "private_to"> {
	readonly now: number;
}

/** @throws UserError 409 when there are too many */
export async function insertView(transaction: Transaction<Tables>, { now, ...values }: NewView): Promise<ViewRow> {
	const { owner_id, project_id } = values;
	if ((await countViews(transaction, sql<boolean>`true`)) >= MAX_VIEWS)
		throw tooMany(`There are ${MAX_VIEWS} saved views, the most that there may be; delete some.`);
	const ofOwner = sql<boolean>`${isValue("owner_id", owner_id)} and ${isValue("project_id", project_id)}`;
	if ((await countViews(transaction, ofOwner)) >= MAX_OF_OWNER)
		throw tooMany(`${MAX_OF_OWNER} saved views are the most that one owner has in one project; delete some.`);
	return await transaction
		.insertInto("saved_views")
		.values({ ...values, created_at: now, updated_at: now })
		.returningAll()
		.executeTakeFirstOrThrow();
}

function isValue(column: string, value: number | null): RawBuilder<boolean> {
	return value === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${value}`;
}

async function countViews(db: Kysely<Tables>, condition: RawBuilder<boolean>): Promise<number> {
	const { count } = await db
		.selectFrom("saved_views")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where(condition)
		.executeTakeFirstOrThrow();
	return Number(count);
}

function tooMany(message: string): UserError {
	return new UserError(409, "too_many_views", message);
}

/** Changes a view; one that becomes private is no project's default view any more. */
export async function updateView(
	transaction: Transaction<Tables>,
	before: ViewRow,
	change: Partial<Pick<ViewRow, "name" | "state" | "private_to">>,
	now: number,
): Promise<ViewRow> {
	if (change.private_to != null)
		await transaction.deleteFrom("default_views").where("view_id", "=", before.id).execute();
	return await transaction
		.updateTable("saved_views")
		.set({ ...change, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function deleteView(transaction: Transaction<Tables>, { id }: Pick<ViewRow, "id">): Promise<void> {
	await transaction.deleteFrom("saved_views").where("id", "=", id).execute();
}
