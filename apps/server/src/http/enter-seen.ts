import type { Actor } from "./actor.ts";
import { toHome } from "./seen-homes.ts";

/**
 * Enters the home of a dataset or prompt that was found, unless the actor does not see it.
 * @param projectId null is the library
 * @returns whether the actor sees it
 * @throws UserError 403 `project_role_needed`
 */
export function enterSeen(actor: Pick<Actor, "rights" | "enter">, projectId: number | null): boolean {
	const home = toHome(projectId);
	if (actor.rights.roleAt(home) === undefined) return false;
	actor.enter(home);
	return true;
}
