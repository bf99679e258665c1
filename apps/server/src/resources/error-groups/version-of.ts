import type { GroupRow } from "./find-groups.ts";

/** What an entity tag of a group names: new occurrences do not change it, states and assignees do. */
export function versionOf({ id, revision }: Pick<GroupRow, "id" | "revision">) {
	return { id, updated_at: revision };
}
