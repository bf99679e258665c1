import type { Kysely } from "kysely";
import { ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";

/**
 * The row numbers of the projects that a key is limited to, each once.
 * @param actor who says so; what they do not see does not exist
 * @param identifiers ids or names
 * @param loc where they stand in the request
 * @throws ValidationError naming one that does not exist
 */
export async function resolveKeyProjects(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "noteHidden">,
	identifiers: readonly string[],
	loc: readonly string[],
): Promise<number[]> {
	const ids = new Set<number>();
	for (const [index, identifier] of identifiers.entries()) {
		const id = decodeGlobalId(identifier, "Project");
		const project = await db
			.selectFrom("projects")
			.select("id")
			.where((where) => (id === undefined ? where("name", "=", identifier) : where("id", "=", id)))
			.executeTakeFirst();
		const isSeen = project !== undefined && actor.rights.roleAt(project.id) !== undefined;
		if (project !== undefined && !isSeen) actor.noteHidden(project.id);
		if (project === undefined || !isSeen) {
			throw new ValidationError([
				{ type: "value_error", loc: [...loc, index], msg: "Value error, there is no such project", input: identifier },
			]);
		}
		ids.add(project.id);
	}
	return [...ids];
}
