import type { KeyHomes } from "#http/principal.ts";
import { ALL_RIGHTS, type Home, type Rights, type SeenProjects } from "#http/rights.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { livesAt, type RightsSubject, reasonsAt, roleBy } from "./reasons.ts";
import type { RightsState } from "./rights-state.ts";

/** What a user may do, by the role in the whole service, and by grants below that ceiling. */
export function rightsOfUser(state: RightsState, subject: RightsSubject): Rights {
	switch (subject.role) {
		case "ADMIN":
			return ALL_RIGHTS;
		case "SYSTEM":
			return { roleAt: () => "editor", projects: "all" };
		case "MEMBER":
		case "VIEWER":
			return new RightsByReasons(state, subject);
	}
}

/** The same through a key that is limited to some homes, and what was made for something there. */
export function limitedTo(state: Pick<RightsState, "follows">, rights: Rights, homes: KeyHomes): Rights {
	const reached = projectsReached(state, homes);
	return {
		roleAt: (home) => (reaches(state, homes, home) ? rights.roleAt(home) : undefined),
		projects: { only: [...reached].filter((id) => rights.roleAt(id) !== undefined) },
	};
}

/** Whether a key reaches a home: one that it is limited to, or a project that was made for a dataset in one of them. */
export function reaches(state: Pick<RightsState, "follows">, { projectIds, library }: KeyHomes, home: Home): boolean {
	if (home !== "library" && projectIds.has(home)) return true;
	const at = livesAt(state, home);
	return at === "library" ? library : projectIds.has(at);
}

/** The projects that a key {@link reaches}. */
export function projectsReached(state: Pick<RightsState, "follows">, homes: KeyHomes): ReadonlySet<number> {
	return new Set([...homes.projectIds, ...state.follows.keys()].filter((id) => reaches(state, homes, id)));
}

class RightsByReasons implements Rights {
	readonly projects: SeenProjects;
	readonly #state: RightsState;
	readonly #subject: RightsSubject;
	/** Those that were asked for. */
	readonly #roles = new Map<Home, ProjectRole | undefined>();

	constructor(state: RightsState, subject: RightsSubject) {
		this.#state = state;
		this.#subject = subject;
		this.projects = this.#seenProjects();
	}

	roleAt(home: Home): ProjectRole | undefined {
		if (home !== "library" && home > this.#state.lastProject && this.#state.mayHideNew) return undefined;
		if (!this.#roles.has(home)) this.#roles.set(home, roleBy(reasonsAt(this.#state, this.#subject, home)));
		return this.#roles.get(home);
	}

	/** As the shorter of both lists, as conditions in SQL hold it. */
	#seenProjects(): SeenProjects {
		const { restricted, open, follows, mayHideNew, lastProject } = this.#state;
		if (!mayHideNew) return "all";
		const restrictedProjects = [...restricted].filter((home) => home !== "library");
		const isHidden = (id: number) => this.roleAt(id) === undefined;
		const except = [...new Set([...restrictedProjects, ...follows.keys()])].filter(isHidden);
		if (except.length <= open.length) return { except, upTo: lastProject };
		const only = [...open, ...restrictedProjects].filter((id) => !isHidden(id));
		return only.length < except.length ? { only } : { except, upTo: lastProject };
	}
}
