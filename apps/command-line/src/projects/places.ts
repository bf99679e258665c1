import type { Spanward } from "@spanward/client";
import type { Invocation } from "../invocation.ts";

/** More are not asked for an id: a project has to be named then. */
const MOST = 100;

/** The projects in which an id may be: the named one, else first the usual one and then the others, newest first. */
export async function* projectsToLookIn(invocation: Invocation, spanward: Spanward): AsyncGenerator<string> {
	const usual = invocation.project;
	if (invocation.value("project") !== undefined) return yield usual;
	const projects = await spanward.projects.list({ include_experiment_projects: true, limit: MOST }).toArray(MOST);
	const first = projects.find(({ name }) => name === usual);
	if (first !== undefined) yield first.id;
	for (const { id } of projects) if (id !== first?.id) yield id;
	if (projects.length === MOST)
		invocation.terminal.note(`Only the ${MOST} newest projects were looked at: --project names another.`);
	return undefined;
}
