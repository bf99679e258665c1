import { type Insertable, type Kysely, type Selectable, sql } from "kysely";
import { listed } from "../listed.ts";
import type { Access, Tables } from "../schema.ts";
import { type AccessOfNew, accessOfNew } from "./access-of-new.ts";
import { NOTE_RIGHTS_CHANGE } from "./rights-version.ts";

export interface NewProject extends Omit<Insertable<Tables["projects"]>, "access"> {
	/** The user who becomes its manager; null for nobody. */
	readonly maker: number | null;
}

/** So many rows have fewer parameters than a statement may have. */
const MOST_AT_ONCE = 1_000;

/**
 * Makes projects with the access that policy and rules say, and their managers. Within a transaction.
 * @param pinned what a variable says of the access; stronger than the stored policy
 * @returns those that were made; the names of others are taken
 */
export async function insertProjects(
	transaction: Kysely<Tables>,
	projects: readonly NewProject[],
	pinned: Access | undefined,
): Promise<Selectable<Tables["projects"]>[]> {
	const policy = await readAccessOfNew(transaction, pinned);
	const made: Selectable<Tables["projects"]>[] = [];
	for (let at = 0; at < projects.length; at += MOST_AT_ONCE) {
		const some = projects.slice(at, at + MOST_AT_ONCE);
		const rows = await transaction
			.insertInto("projects")
			.values(some.map(({ maker: _, ...project }) => ({ ...project, access: accessOfNew(project.name, policy) })))
			.onConflict((conflict) => conflict.column("name").doNothing())
			.returningAll()
			.execute();
		await insertManagers(transaction, rows, new Map(some.map(({ name, maker }) => [name, maker])));
		made.push(...rows);
	}
	const isNoted = made.length > 0 && (policy.rules.length > 0 || projects.some(hasRights) || made.some(isRestricted));
	// Where numbers are not committed in their order, the highest one does not tell that there is a new project.
	if (isNoted) await sql.raw(NOTE_RIGHTS_CHANGE).execute(transaction);
	return made;
}

/** Whether anybody's rights there are others than in any open project. */
function hasRights({ maker, origin }: NewProject): boolean {
	return maker !== null || (origin ?? null) !== null;
}

function isRestricted({ access }: { readonly access: Access }): boolean {
	return access === "restricted";
}

async function readAccessOfNew(db: Kysely<Tables>, pinned: Access | undefined): Promise<AccessOfNew> {
	const stored = await db.selectFrom("access_policy").select("default_project_access").executeTakeFirst();
	const rules = await db.selectFrom("access_rules").select(["pattern", "access_of_new"]).execute();
	return { byDefault: pinned ?? stored?.default_project_access ?? "open", rules };
}

async function insertManagers(
	transaction: Kysely<Tables>,
	projects: readonly Selectable<Tables["projects"]>[],
	makers: ReadonlyMap<string, number | null>,
): Promise<void> {
	const wanted = [...new Set(makers.values())].filter((id) => id !== null);
	if (wanted.length === 0) return;
	// Somebody may have been deleted meanwhile.
	const found = await transaction.selectFrom("users").select("id").where("id", "in", listed(wanted)).execute();
	const users = new Set(found.map(({ id }) => id));
	const grants = projects.flatMap(({ id, name, created_at }) => {
		const maker = makers.get(name) ?? null;
		if (maker === null || !users.has(maker)) return [];
		return [{ project_id: id, user_id: maker, role: "manager" as const, created_at, created_by: maker }];
	});
	if (grants.length > 0) await transaction.insertInto("grants").values(grants).execute();
}
