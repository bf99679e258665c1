import type { KeyHomes } from "#http/principal.ts";
import { ALL_RIGHTS, type Home, type Rights, type SeenProjects } from "#http/rights.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { type RightsSubject, reasonsAt, roleBy } from "./reasons.ts";
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
		roleAt: (home) => ((home === "library" ? homes.library : reached.has(home)) ? rights.roleAt(home) : undefined),
		projects: { only: [...reached].filter((id) => rights.roleAt(id) !== undefined) },
	};
}

/** The projects that a key reaches: those it is limited to, and those that were made for a dataset in its homes. */
export function projectsReached(
	{ follows }: Pick<RightsState, "follows">,
	{ projectIds, library }: KeyHomes,
): ReadonlySet<number> {
	const made = Array.from(follows).filter(([, at]) => (at === "library" ? library : projectIds.has(at)));
	return new Set([...projectIds, ...made.map(([id]) => id)]);
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
