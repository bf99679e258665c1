import type { Kysely } from "kysely";
import type { KeyHomes } from "#http/principal.ts";
import type { Rights } from "#http/rights.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { projectsReached } from "./rights-of-user.ts";
import type { RightsState } from "./rights-state.ts";
import { includesRole } from "./roles.ts";
import type { ProjectLimits } from "./sender-rights.ts";

interface Sender {
	readonly state: RightsState;
	/** Cut to `homes`. */
	readonly rights: Rights;
	/** Of a key that is limited to some. */
	readonly homes: KeyHomes | undefined;
}

/** The projects that a member, or a key that is limited to some, may write; undefined where nothing limits. */
export async function limitsOfSender(
	db: Kysely<Tables>,
	{ state, rights, homes }: Sender,
): Promise<ProjectLimits | undefined> {
	const mayWrite = ({ id }: { readonly id: number }) => includesRole(rights.roleAt(id), "editor");
	const namesOf = (projects: readonly { readonly name: string }[]) => projects.map(({ name }) => name);
	if (homes !== undefined) {
		const projects = await findProjects(db, state, [...projectsReached(state, homes)]);
		const [first, ...others] = projects.filter(({ id }) => homes.projectIds.has(id));
		const fallback = first !== undefined && others.length === 0 && homes.projectIds.size === 1 ? first.name : undefined;
		return {
			only: namesOf(projects.filter(mayWrite)),
			why: "key_limited",
			...(fallback === undefined ? {} : { fallback }),
		};
	}
	const { membersCreateProjects, openRoleOfMembers } = state.policy;
	if (!membersCreateProjects) {
		const projects = await findProjects(db, state);
		return { only: namesOf(projects.filter(mayWrite)), why: "members_create_no_projects" };
	}
	const restricted = openRoleOfMembers === "editor" ? [...restrictedProjects(state)] : undefined;
	if (restricted?.length === 0) return undefined;
	const projects = await findProjects(db, state, restricted);
	const except = namesOf(projects.filter((project) => !mayWrite(project)));
	return except.length === 0 ? undefined : { except };
}

/** Those that may be hidden from some. */
function restrictedProjects({ restricted, follows }: RightsState): ReadonlySet<number> {
	if (restricted.size === 0) return new Set();
	return new Set([...[...restricted].filter((home) => home !== "library"), ...follows.keys()]);
}

/** Those that the state knows: of others is noticed in time that they are new. */
async function findProjects(
	db: Kysely<Tables>,
	{ lastProject }: RightsState,
	ids?: readonly number[],
): Promise<{ readonly id: number; readonly name: string }[]> {
	const known = db.selectFrom("projects").select(["id", "name"]).where("id", "<=", lastProject).orderBy("id");
	return await (ids === undefined ? known : known.where("id", "in", listed(ids))).execute();
}
