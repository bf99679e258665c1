import type { ProjectRole } from "#storage/schema.ts";

/**
 * Where something lives, by which it is decided who sees it: the row number of a project, or the library, for datasets
 * and prompts of no project.
 */
export type Home = number | "library";

/** All projects, only these, or all but these up to a row number; others were made since the rights were read. */
export type SeenProjects =
	| "all"
	| { readonly only: readonly number[] }
	| { readonly except: readonly number[]; readonly upTo: number };

/** What a principal sees, and may do there, as it was decided at most a second ago. */
export interface Rights {
	/** Undefined where the home does not exist for the principal. */
	roleAt(home: Home): ProjectRole | undefined;
	/** Whether there is anything that the principal does not see. */
	readonly projects: SeenProjects;
}

/** Everything, everywhere: while authentication is off, and for admins. */
export const ALL_RIGHTS: Rights = { roleAt: () => "manager", projects: "all" };

/** Nothing: for who sent no credentials. */
export const NO_RIGHTS: Rights = { roleAt: () => undefined, projects: { only: [] } };
