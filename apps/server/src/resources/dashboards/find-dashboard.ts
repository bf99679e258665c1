import type { Kysely } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { etagOf, tagOf } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { getProject } from "../projects/queries.ts";
import { type BuiltInDashboard, builtInDashboards } from "./built-in/built-in.ts";
import { findNamedProjects, withSeenProjects } from "./named-projects.ts";
import { type DashboardRow, dashboardNotFound, getDashboard } from "./queries.ts";
import type { Dashboard } from "./schemas.ts";
import { builtInDashboard, definitionOf, toDashboard } from "./to-dashboard.ts";

const BUILT_IN = "builtin:";

type Wire = z.output<typeof Dashboard>;
type Viewing = Pick<Actor, "principal" | "rights" | "enter" | "noteHidden">;

/** @throws UserError 404 when there is no built-in one with this id; undefined for ids of others */
function findBuiltIn(identifier: string, isAcross: boolean): BuiltInDashboard | undefined {
	if (!identifier.startsWith(BUILT_IN)) return undefined;
	const found = builtInDashboards(isAcross).find(({ key }) => `${BUILT_IN}${key}` === identifier);
	if (found === undefined) throw dashboardNotFound(identifier);
	return found;
}

/** @throws UserError 403 for what cannot be changed, 404 */
export function refuseBuiltIn(identifier: string): void {
	if (findBuiltIn(identifier, true) === undefined) return;
	throw new UserError(
		403,
		"built_in",
		"Built-in dashboards cannot be changed or deleted; duplicate it, and change that.",
	);
}

/** As the actor is shown it. */
export async function showDashboard(
	db: Kysely<Tables>,
	{ rights }: Pick<Actor, "rights">,
	row: DashboardRow,
	isAuthOn: boolean,
): Promise<Wire> {
	const definition = definitionOf(row);
	const known = await findNamedProjects(db, definition);
	return toDashboard(row, withSeenProjects(definition, known, rights), isAuthOn);
}

/**
 * A dashboard for who reads it, with its entity tag.
 * @param project identifier: of a built-in one, what it is about
 * @throws UserError 404
 */
export async function readDashboard(
	db: Kysely<Tables>,
	actor: Viewing,
	{ identifier, project }: { readonly identifier: string; readonly project: string | undefined },
	isAuthOn: boolean,
): Promise<{ readonly dashboard: Wire; readonly tag: string }> {
	const named = project === undefined ? undefined : await getProject(db, actor, project);
	const builtIn = findBuiltIn(identifier, named === undefined);
	if (builtIn !== undefined) {
		const dashboard = builtInDashboard(builtIn, named === undefined ? null : encodeGlobalId("Project", named.id));
		return { dashboard, tag: tagOf(dashboard) };
	}
	const row = await getDashboard(db, actor, identifier);
	if (named !== undefined && row.project_id !== named.id) throw dashboardNotFound(identifier);
	return { dashboard: await showDashboard(db, actor, row, isAuthOn), tag: etagOf(row) };
}
