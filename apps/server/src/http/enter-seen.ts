import type { ProjectRole } from "#storage/schema.ts";
import type { Actor } from "./actor.ts";
import type { Home } from "./rights.ts";

/**
 * Enters the home of something that was found, unless the actor does not see it.
 * @param home null is the library, as in `project_id` of a dataset or prompt
 * @param needed the role of the route when absent
 * @returns whether the actor sees it
 * @throws UserError 403 `project_role_needed`
 */
export function enterSeen(
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	home: Home | null,
	needed?: ProjectRole,
): boolean {
	const entered = home ?? "library";
	if (actor.rights.roleAt(entered) === undefined) {
		actor.noteHidden(entered);
		return false;
	}
	actor.enter(entered, needed);
	return true;
}
