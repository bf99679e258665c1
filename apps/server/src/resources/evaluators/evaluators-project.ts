import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { findMadeProject, makeProjectFor } from "../projects/made-projects.ts";
import type { ProjectRow } from "../projects/queries.ts";
import type { FoundTarget } from "./find-target.ts";
import { projectOfDataset } from "./project-of-dataset.ts";

/**
 * The project that gets the trace of an evaluator which judges the target: beside that of the target, so that
 * whoever may read the one may read the other. Given values are the library's.
 */
export async function evaluatorsProjectOf(
	context: Pick<Context, "auth" | "db" | "now">,
	actor: Actor,
	target: FoundTarget | undefined,
): Promise<Pick<ProjectRow, "id" | "name">> {
	const { auth, db, now } = context;
	if (target?.datasetId !== undefined)
		return await projectOfDataset(context, target.datasetId, (work) => actor.change(work));
	const home = target?.home ?? "library";
	if (target === undefined) actor.enter(home);
	const found = await findMadeProject(db.read, "evaluators", home);
	if (found !== undefined) return found;
	const made = await actor.change(async (transaction) => {
		const { restricted } = await auth.rights.stateIn(transaction);
		return await makeProjectFor(
			transaction,
			{ purpose: "evaluators", home },
			{ pinnedAccess: auth.rights.pinnedAccess, now: now(), isRestricted: restricted.has(home) },
		);
	});
	auth.rights.invalidate();
	if (made === undefined) throw new Error(`home ${home} was deleted while an actor was in it`);
	return made;
}
