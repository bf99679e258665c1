import { type RawBuilder, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Home, Rights } from "./rights.ts";

/** Condition that the project whose row number is in `column` is one that is seen; see {@link Rights}. */
export function isSeenProject(column: string, { projects }: Pick<Rights, "projects">): RawBuilder<boolean> {
	if (projects === "all") return sql<boolean>`true`;
	const id = sql.ref<number>(column);
	if ("only" in projects) return sql<boolean>`${id} in ${listed(projects.only)}`;
	const known = sql<boolean>`${id} <= ${projects.upTo}`;
	// For an empty list `not in` selects nothing.
	return projects.except.length === 0 ? known : sql<boolean>`(${known} and ${id} not in ${listed(projects.except)})`;
}

/** The same where null in `column` stands for the library. */
export function isSeenHome(column: string, rights: Rights): RawBuilder<boolean> {
	const seesLibrary = rights.roleAt("library") !== undefined;
	if (seesLibrary && rights.projects === "all") return sql<boolean>`true`;
	const library = seesLibrary ? sql<boolean>`true` : sql<boolean>`false`;
	const id = sql.ref<number | null>(column);
	return sql<boolean>`case when ${id} is null then ${library} else ${isSeenProject(column, rights)} end`;
}

/** The home that a `project_id` of a dataset or prompt says; null is the library. */
export function toHome(projectId: number | null): Home {
	return projectId ?? "library";
}
