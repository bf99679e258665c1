import type { FastifyRequest } from "fastify";
import { includesRole } from "#access/rights/roles.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { homesOf } from "#http/principal.ts";
import type { Home } from "#http/rights.ts";
import { checkWidening, homesOfProjects, widenIn } from "../projects/homes.ts";
import { findHomeOfMade, findMadeProject, makeProjectFor } from "../projects/made-projects.ts";
import { findProjectByName, getProject, insertProject, type ProjectRow } from "../projects/queries.ts";

type Parts = Pick<Context, "auth" | "config" | "db" | "now">;

/** What a run says of where it begins and where its traces go. */
export interface RunPlaces {
	readonly project: string | undefined;
	/** Row number of the project whose content the run begins with. */
	readonly source: number | undefined;
	/** Where the prompts of its versions live. */
	readonly prompts: ReadonlySet<Home>;
	readonly isAllowed: boolean | undefined;
}

/**
 * The project that gets the traces of a run; the actor enters it. What is restricted stays with those who see
 * it: without a project of its own, a run that begins with something restricted goes to one with the same access.
 * @throws UserError 404, 403 `project_role_needed`, 409 `wider_access`, 422
 */
export async function findRunProject(
	parts: Parts,
	request: FastifyRequest,
	places: RunPlaces,
): Promise<Pick<ProjectRow, "id" | "name">> {
	const { id, name } = await findProjectOf(parts, request, places);
	return { id, name };
}

async function findProjectOf(parts: Parts, request: FastifyRequest, places: RunPlaces): Promise<ProjectRow> {
	const { actor } = request;
	const { project, source, prompts } = places;
	const sources = source === undefined ? [] : [source];
	const homes = new Set<Home>([...prompts, ...(await homesOfProjects(parts, sources))]);
	if (project !== undefined)
		return await chosenProject(parts, request, { project, homes, isAllowed: places.isAllowed });
	const { restricted } = await parts.auth.rights.state();
	const [home, ...others] = [...homes].filter((each) => restricted.has(each));
	if (others.length > 0) {
		throw new UserError(
			422,
			"several_restricted_sources",
			"What this run begins with is from several restricted projects: say in `project` which one gets the traces.",
		);
	}
	return home === undefined ? await ownProject(parts, actor) : await projectFor(parts, actor, home);
}

async function chosenProject(
	parts: Parts,
	request: FastifyRequest,
	{ project, homes, isAllowed }: { project: string; homes: ReadonlySet<Home>; isAllowed: boolean | undefined },
): Promise<ProjectRow> {
	const { auth, db } = parts;
	const { actor } = request;
	const row = await getProject(db.read, actor, project);
	if (row.origin !== null && (await findHomeOfMade(db.read, row.id)) === undefined) {
		const message = "This project was made for something else, such as an experiment: choose another one.";
		throw new UserError(409, "project_of_service", message);
	}
	const widening = { from: homes, to: row.id, isAllowed };
	const widened = await checkWidening({ auth }, db.read, actor, widening);
	if (widened.length > 0) {
		const target = { type: "project" as const, id: row.id, name: row.name };
		await actor.change((transaction) =>
			widenIn(transaction, { auth }, actor, widening, { action: "playground", target, request }),
		);
	}
	return row;
}

/** The project of the playground, which is made when it is first needed. */
async function ownProject({ auth, config, db, now }: Parts, actor: Actor): Promise<ProjectRow> {
	const name = config.SERVICE_PLAYGROUND_PROJECT_NAME;
	const found = await findProjectByName(db.read, name);
	if (found !== undefined) {
		if (!includesRole(actor.rights.roleAt(found.id), "editor")) throw closed();
		actor.enter(found.id);
		return found;
	}
	if (homesOf(actor.principal) !== undefined) throw closed();
	const made = await actor.change(
		async (transaction) =>
			(await insertProject(transaction, {
				...{ name, description: null, maker: null },
				...{ pinnedAccess: auth.rights.pinnedAccess, now: now() },
			})) ?? (await findProjectByName(transaction, name)),
	);
	auth.rights.invalidate();
	// The actor was admitted before there was this project.
	const rights = await auth.rights.of(actor.principal);
	if (made === undefined || !includesRole(rights.roleAt(made.id), "editor")) throw closed();
	return made;
}

function closed(): UserError {
	return new UserError(
		422,
		"playground_project_closed",
		"You may not write to the project of the playground: say in `project` which of yours gets the traces.",
	);
}

/** The project for what begins at a restricted home; who may write there may write to it. */
async function projectFor({ auth, db, now }: Parts, actor: Actor, home: Home): Promise<ProjectRow> {
	actor.enter(home);
	const found = await findMadeProject(db.read, "playground", home);
	if (found !== undefined) return found;
	const made = await actor.change((transaction) =>
		makeProjectFor(
			transaction,
			{ purpose: "playground", home },
			{ pinnedAccess: auth.rights.pinnedAccess, now: now(), isRestricted: true },
		),
	);
	auth.rights.invalidate();
	if (made === undefined) throw new Error(`home ${home} was deleted while an actor was in it`);
	return made;
}
