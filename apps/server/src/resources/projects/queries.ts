import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import { insertProjects } from "#storage/projects/insert-projects.ts";
import type { Access, ProjectRole, Tables } from "#storage/schema.ts";

export type ProjectRow = Selectable<Tables["projects"]>;

export interface ProjectListQuery {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly nameContains?: string | undefined;
	/** Which of the projects made by the server to include; none when absent. */
	readonly origins?: readonly NonNullable<ProjectRow["origin"]>[];
}

/** Projects that are seen, with the newest first, from `fromId` downwards. */
export async function listProjects(
	db: Kysely<Tables>,
	rights: Rights,
	{ limit, fromId, nameContains, origins = [] }: ProjectListQuery,
): Promise<ProjectRow[]> {
	let query = db
		.selectFrom("projects")
		.selectAll()
		.where(({ or, eb }) => or([eb("origin", "is", null), ...origins.map((origin) => eb("origin", "=", origin))]))
		.where(isSeenProject("projects.id", rights))
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (nameContains !== undefined && nameContains !== "") {
		const pattern = `%${nameContains.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`lower(name) like ${pattern} escape '\\'`);
	}
	return await query.execute();
}

export async function findProject(db: Kysely<Tables>, id: number): Promise<ProjectRow | undefined> {
	return await db.selectFrom("projects").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findProjectByName(db: Kysely<Tables>, name: string): Promise<ProjectRow | undefined> {
	return await db.selectFrom("projects").selectAll().where("name", "=", name).executeTakeFirst();
}

/**
 * The project with this global id or, if `identifier` is not one, with this name, among those that the actor sees. The
 * actor enters it.
 * @param needed the role of the route when absent
 * @throws UserError 404, or 403 `project_role_needed`
 */
export async function getProject(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	identifier: string,
	needed?: ProjectRole,
): Promise<ProjectRow> {
	const id = decodeGlobalId(identifier, "Project");
	const project = id === undefined ? await findProjectByName(db, identifier) : await findProject(db, id);
	if (project !== undefined && enterSeen(actor, project.id, needed)) return project;
	const kind = id === undefined ? "name" : "ID";
	throw notFound("project_not_found", `Project with ${kind} ${identifier.slice(0, 300)} not found`);
}

export interface ProjectToInsert {
	readonly name: string;
	readonly description: string | null;
	readonly origin?: ProjectRow["origin"];
	/** The user who becomes its manager; null for nobody. */
	readonly maker: number | null;
	/** `RightsReader.pinnedAccess` */
	readonly pinnedAccess: Access | undefined;
	readonly now: number;
}

/**
 * Makes a project with the access that the policy says. Call `auth.rights.invalidate` after the commit.
 * @returns undefined when the name is taken
 */
export async function insertProject(
	db: Transaction<Tables>,
	{ now, pinnedAccess, ...project }: ProjectToInsert,
): Promise<ProjectRow | undefined> {
	const [made] = await insertProjects(db, [{ ...project, created_at: now, updated_at: now }], pinnedAccess);
	return made;
}

/** @returns undefined when the project was deleted */
export async function updateProjectDescription(
	db: Transaction<Tables>,
	before: ProjectRow,
	description: string,
	now: number,
): Promise<ProjectRow> {
	return await db
		.updateTable("projects")
		.set({ description, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}
