import type { UserRole } from "#base/roles.ts";
import type { KeyHomes } from "#http/principal.ts";
import { ALL_RIGHTS, type Home, type Rights, type SeenProjects } from "#http/rights.ts";
import type { ProjectRole } from "#storage/schema.ts";
import type { Grant, RightsState } from "./rights-state.ts";
import { higherRole, underCeiling } from "./roles.ts";

/** Whose rights are asked for. */
export interface RightsSubject {
	readonly userId: number;
	readonly role: UserRole;
	readonly teamIds: ReadonlySet<number>;
}

/** What a user may do, by the role in the whole service, and by grants below that ceiling. */
export function rightsOfUser(state: RightsState, subject: RightsSubject): Rights {
	switch (subject.role) {
		case "ADMIN":
			return ALL_RIGHTS;
		case "SYSTEM":
			return { roleAt: () => "editor", projects: "all" };
		case "MEMBER":
			return new RightsByGrants(state, state.policy.openRoleOfMembers, grantedTo(state, subject));
		case "VIEWER":
			return new RightsByGrants(state, "viewer", grantedTo(state, subject));
	}
}

/** The same through a key that is limited to some homes. */
export function limitedTo(rights: Rights, { projectIds, library }: KeyHomes): Rights {
	const seen = [...projectIds].filter((id) => rights.roleAt(id) !== undefined);
	return {
		roleAt: (home) => ((home === "library" ? library : projectIds.has(home)) ? rights.roleAt(home) : undefined),
		projects: { only: seen },
	};
}

function grantedTo(state: RightsState, subject: RightsSubject): ReadonlyMap<Home, ProjectRole> {
	const granted = new Map<Home, ProjectRole>();
	const add = (home: Home, role: ProjectRole) => {
		const highest = higherRole(granted.get(home), underCeiling(role, subject.role));
		if (highest !== undefined) granted.set(home, highest);
	};
	const isTheirs = ({ userId, teamId }: Grant) =>
		userId === undefined ? teamId !== undefined && subject.teamIds.has(teamId) : userId === subject.userId;
	for (const grant of state.grants) if (isTheirs(grant)) add(grant.home, grant.role);
	for (const { id, grants } of state.rules) {
		for (const grant of grants.filter(isTheirs)) {
			for (const projectId of state.fitting.get(id) ?? []) add(projectId, grant.role);
		}
	}
	return granted;
}

class RightsByGrants implements Rights {
	readonly projects: SeenProjects;
	readonly #state: RightsState;
	readonly #base: ProjectRole;
	readonly #granted: ReadonlyMap<Home, ProjectRole>;

	constructor(state: RightsState, base: ProjectRole, granted: ReadonlyMap<Home, ProjectRole>) {
		this.#state = state;
		this.#base = base;
		this.#granted = granted;
		this.projects = this.#seenProjects();
	}

	roleAt(home: Home): ProjectRole | undefined {
		if (home !== "library" && home > this.#state.lastProject && this.#state.mayHideNew) return undefined;
		const at = home === "library" ? home : (this.#state.follows.get(home) ?? home);
		const base = this.#state.restricted.has(at) ? undefined : this.#base;
		return higherRole(base, this.#granted.get(at));
	}

	#seenProjects(): SeenProjects {
		const { restricted, follows, mayHideNew, lastProject } = this.#state;
		if (!mayHideNew) return "all";
		const hidden = [...restricted].filter((home) => home !== "library" && this.roleAt(home) === undefined);
		const following = [...follows.keys()].filter((id) => this.roleAt(id) === undefined);
		return { except: [...hidden, ...following] as number[], upTo: lastProject };
	}
}
