import type { Kysely } from "kysely";
import type { AuditTarget } from "#access/auth/audit.ts";
import { notFound } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import type { Home } from "#http/rights.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import { findProject, getProject } from "../projects/queries.ts";

/** A home as people call it. */
export interface NamedHome {
	readonly home: Home;
	readonly name: string;
	/** Its access is that of what it was made for. */
	readonly follows: boolean;
}

export const LIBRARY: NamedHome = { home: "library", name: "library", follows: false };

/**
 * The project, which the actor enters.
 * @throws UserError 404, or 403 `project_role_needed`
 */
export async function getProjectHome(
	db: Kysely<Tables>,
	actor: Actor,
	identifier: string,
	needed?: ProjectRole,
): Promise<NamedHome> {
	const { id, name, origin } = await getProject(db, actor, identifier, needed);
	return { home: id, name, follows: origin !== null };
}

/** The library, which the actor enters. @throws UserError 404, or 403 `project_role_needed` */
export function getLibrary(actor: Actor, needed?: ProjectRole): NamedHome {
	if (enterSeen(actor, "library", needed)) return LIBRARY;
	throw notFound("library_not_found", "The library does not exist, or not for you.");
}

/** The home with this row number. @throws UserError 404 when the project is gone */
export async function nameHome(db: Kysely<Tables>, home: Home): Promise<NamedHome> {
	if (home === "library") return LIBRARY;
	const project = await findProject(db, home);
	if (project === undefined) throw notFound("project_not_found", "The project does not exist any more");
	return { home, name: project.name, follows: project.origin !== null };
}

/** A home as the audit log names it. */
export function homeTarget({ home, name }: NamedHome): AuditTarget {
	return home === "library" ? { type: "library", name } : { type: "project", id: home, name };
}
