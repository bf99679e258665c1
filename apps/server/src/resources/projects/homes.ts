import type { Kysely, Transaction } from "kysely";
import { z } from "zod";
import type { AuditTarget, Origin } from "#access/auth/audit.ts";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { livesAt } from "#access/rights/reasons.ts";
import { idOf, mayWiden } from "#access/rights/wider-access.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { homesOf, type Principal } from "#http/principal.ts";
import { MAX_PARAM_LENGTH, textParam } from "#http/query-params.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { findProject, getProject } from "./queries.ts";

/** Where datasets and prompts live, in place of a project's id or name. A project of this name is named by its id. */
const LIBRARY = "library";

/** `project` of a body: where something is to live. */
export const homeField = z
	.string()
	.max(MAX_PARAM_LENGTH)
	.nullable()
	.optional()
	.describe("Id or name of the project where it is to live; null or `library` for the library.");

/** `project` of a list. */
export const homeParam = textParam
	.optional()
	.describe("Id or name: only those that live in this project; `library` for those of the library.");

export const allowWiderAccessField = z
	.boolean()
	.optional()
	.describe("Do it although more people will see what comes from a restricted project; needs the role editor in both.");

/** The member of answers that says in which project something lives; absent in the library. */
export const homeOfAnswer = z.string().optional().describe("The project where it lives; absent for the library.");

/** The value of {@link homeOfAnswer}. */
export function toHomeOfAnswer(projectId: number | null): { project_id?: string } {
	const id = idOf(projectId ?? "library");
	return id === null ? {} : { project_id: id };
}

/** The `project_id` of what lives at a home. */
export function toProjectId(home: Home): number | null {
	return home === "library" ? null : home;
}

/**
 * The home that a list is asked for, which the actor enters; undefined for all homes.
 * @throws UserError 404
 */
export async function getListedHome(
	db: Kysely<Tables>,
	actor: Actor,
	project: string | undefined,
): Promise<Home | undefined> {
	if (project === undefined || project === LIBRARY) return project;
	return (await getProject(db, actor, project)).id;
}

/**
 * The home that a request names, which the actor enters.
 * @throws UserError 404, 403 `project_role_needed`, 409 for a project that the service made
 */
export async function getHome(db: Kysely<Tables>, actor: Actor, project: string | null): Promise<Home> {
	if (project === null || project === LIBRARY) return enterAsHome(db, actor, "library");
	return enterAsHome(db, actor, (await getProject(db, actor, project)).id);
}

/**
 * Where something new lives, which the actor enters: where the request says, else in the only home of the actor's key,
 * else in the restricted project that all its sources are from, else in the library.
 * @param sources homes of the spans that it is made of
 * @throws UserError 404, 403 `project_role_needed`, 422 `home_required`
 */
export async function chooseHome(
	{ auth, db }: Pick<Context, "auth" | "db">,
	actor: Actor,
	{ project, sources = new Set() }: { project: string | null | undefined; sources?: ReadonlySet<Home> },
): Promise<Home> {
	if (project !== undefined) return await getHome(db.read, actor, project);
	const ofKey = onlyHomeOf(actor.principal);
	if (ofKey !== undefined) return await enterAsHome(db.read, actor, ofKey);
	const [source] = sources;
	const { restricted } = await auth.rights.state();
	const isOfOne = source !== undefined && sources.size === 1 && restricted.has(source);
	return await enterAsHome(db.read, actor, isOfOne ? source : "library");
}

/** The homes of what is in these projects: those that the service made for a dataset live where that does. */
export async function homesOfProjects(
	{ auth }: Pick<Context, "auth">,
	projectIds: Iterable<number>,
): Promise<Set<Home>> {
	const state = await auth.rights.state();
	return new Set(Array.from(projectIds, (id) => livesAt(state, id)));
}

async function enterAsHome(db: Kysely<Tables>, actor: Actor, home: Home): Promise<Home> {
	if (home !== "library" && (await findProject(db, home))?.origin != null) {
		throw new UserError(
			409,
			"project_of_service",
			"This project was made for something else, such as an experiment, and follows that: choose another one.",
		);
	}
	actor.enter(home);
	return home;
}

/** @throws UserError 422 when the key reaches several */
function onlyHomeOf(principal: Principal): Home | undefined {
	const homes = homesOf(principal);
	if (homes === undefined) return undefined;
	const all: Home[] = [...homes.projectIds, ...(homes.library ? (["library"] as const) : [])];
	if (all.length <= 1) return all[0];
	throw new UserError(422, "home_required", "This key reaches several projects: say in `project` where it is to live.");
}

/** What leaves restricted homes, and the request that wants it. */
export interface Widening {
	readonly from: Iterable<Home>;
	readonly to: Home;
	/** `allow_wider_access` of the request. */
	readonly isAllowed: boolean | undefined;
}

/**
 * Looks whether more people would see what comes from other homes. With the request's leave, the actor enters these as
 * an editor.
 * @param db the transaction of the change; before it, this only refuses early
 * @returns the homes, of those that it comes from, that fewer people see
 * @throws UserError 409 `wider_access`, 403 `project_role_needed`
 */
export async function checkWidening(
	{ auth }: Pick<Context, "auth">,
	db: Kysely<Tables>,
	actor: Actor,
	{ from, to, isAllowed }: Widening,
): Promise<Home[]> {
	const widened: Home[] = [];
	for (const home of from) {
		if (!(await mayWiden({ auth }, db, { from: home, to, isAllowed }))) continue;
		actor.enter(home, "editor");
		widened.push(home);
	}
	return widened;
}

/** What a change that may widen access is called in the audit log, what it is about, and who asks for it. */
interface AboutWidening {
	readonly action: "move" | "upload" | "from_spans" | "gold" | "playground";
	readonly target: AuditTarget;
	readonly request: Origin;
}

/** As {@link checkWidening}, and audits it. In the transaction of the change. */
export async function widenIn(
	transaction: Transaction<Tables>,
	context: Pick<Context, "auth">,
	actor: Actor,
	widening: Widening,
	{ action, target, request }: AboutWidening,
): Promise<void> {
	for (const home of await checkWidening(context, transaction, actor, widening)) {
		await context.auth.audit.recordIn(transaction, {
			...{ action: "access.widened", outcome: "success", principal: actor.principal, target, request },
			details: { action, from: idOf(home) ?? LIBRARY, to: idOf(widening.to) ?? LIBRARY },
		});
	}
}

/** A dataset or prompt that is moved. */
export interface Move {
	/** `project_id` before and after. */
	readonly from: number | null;
	readonly to: number | null;
}

/**
 * Where something moves from where it lives, which the actor has entered: where the request says, which the actor enters.
 * @param project undefined where the request does not want to move it
 * @returns undefined when it stays
 * @throws UserError 404, 403 `project_role_needed`
 */
export async function findMove(
	{ db }: Pick<Context, "db">,
	actor: Actor,
	{ from, project }: { from: number | null; project: string | null | undefined },
): Promise<Move | undefined> {
	if (project === undefined) return undefined;
	const to = toProjectId(await getHome(db.read, actor, project));
	return to === from ? undefined : { from, to };
}

export function movedMeanwhile(): UserError {
	return new UserError(409, "moved_meanwhile", "It was moved to another project meanwhile; look where it lives now.");
}

/**
 * Checks and notes a move in its transaction; `auth.rights.invalidate()` has to follow the commit.
 * @param projectId where it lives now
 * @throws UserError 409 `wider_access`, or when it was moved since {@link findMove}, 403 `project_role_needed`
 */
export async function noteMove(
	transaction: Transaction<Tables>,
	context: Pick<Context, "auth">,
	actor: Actor,
	{ from, to }: Move,
	about: Omit<AboutWidening, "action"> & Pick<Widening, "isAllowed"> & { readonly projectId: number | null },
): Promise<void> {
	const { projectId, isAllowed, ...asked } = about;
	if (projectId !== from) throw movedMeanwhile();
	const widening = { from: [toHome(from)], to: toHome(to), isAllowed };
	await widenIn(transaction, context, actor, widening, { action: "move", ...asked });
	await noteRightsChange(transaction);
}
