import { type Kysely, sql, type Transaction } from "kysely";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { findProject, insertProject, type ProjectRow, type ProjectToInsert } from "./queries.ts";

/** Projects that the service makes for what happens at a home, with the access of that home. */

type Purpose = Tables["project_homes"]["made_for"];

/** Names are cut to this length, so that what they are made for leaves room for the rest. */
const MOST_OF_NAME = 200;

/** What the service made for what happens in a project, which is to be deleted with it. */
export async function listMadeFor(db: Kysely<Tables>, projectId: number): Promise<number[]> {
	const rows = await db.selectFrom("project_homes").select("project_id").where("home_id", "=", projectId).execute();
	return rows.map((row) => row.project_id);
}

/** The home of a project that was made for one; undefined for any other project. */
export async function findHomeOfMade(db: Kysely<Tables>, projectId: number): Promise<Home | undefined> {
	const query = db.selectFrom("project_homes").select("home_id").where("project_id", "=", projectId);
	const row = await query.executeTakeFirst();
	return row === undefined ? undefined : toHome(row.home_id);
}

export async function findMadeProject(
	db: Kysely<Tables>,
	purpose: Purpose,
	home: Home,
): Promise<ProjectRow | undefined> {
	return await db
		.selectFrom("project_homes")
		.innerJoin("projects", "projects.id", "project_homes.project_id")
		.where("made_for", "=", purpose)
		.where(sql`coalesce(home_id, 0)`, "=", home === "library" ? 0 : home)
		.selectAll("projects")
		.executeTakeFirst();
}

/**
 * Finds or makes the project for a home. For a restricted one it is restricted by itself, so that nobody sees it should
 * its home be gone.
 * `auth.rights.invalidate()` has to follow the commit.
 * @returns undefined when the home is gone
 */
export async function makeProjectFor(
	transaction: Transaction<Tables>,
	{ purpose, home }: { purpose: Purpose; home: Home },
	made: Pick<ProjectToInsert, "pinnedAccess" | "now"> & { readonly isRestricted: boolean },
): Promise<ProjectRow | undefined> {
	const found = await findMadeProject(transaction, purpose, home);
	if (found !== undefined) return found;
	const { isRestricted, ...inserted } = made;
	const owner = home === "library" ? "the library" : (await findProject(transaction, home))?.name;
	if (owner === undefined) return undefined;
	// Anybody may have given another project the name.
	for (const suffix of ["", ` #${home}`, ` #${home} ${made.now}`]) {
		const name = `${purpose} of ${owner.slice(0, MOST_OF_NAME)}${suffix}`;
		const row = await insertProject(transaction, {
			...inserted,
			name,
			description: null,
			origin: "evaluators",
			// Who manages it is who manages the home.
			maker: null,
		});
		if (row === undefined) {
			const ofAnother = await findMadeProject(transaction, purpose, home);
			if (ofAnother !== undefined) return ofAnother;
			continue;
		}
		if (isRestricted)
			await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", row.id).execute();
		const home_id = home === "library" ? null : home;
		await transaction.insertInto("project_homes").values({ project_id: row.id, made_for: purpose, home_id }).execute();
		return isRestricted ? { ...row, access: "restricted" } : row;
	}
	throw new Error(`every name for the ${purpose} of project ${home} is taken`);
}
