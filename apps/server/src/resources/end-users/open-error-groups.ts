import type { Kysely } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/**
 * Open groups of errors by user.
 * @param asked times are microseconds since 1970, the end exclusive
 * @returns how many have failures of the user in that time; without users that have none
 */
export async function countOpenErrorGroups(
	db: Kysely<Tables>,
	asked: { readonly projectId: number; readonly startMicros: number; readonly endMicros: number },
	users: readonly string[],
): Promise<ReadonlyMap<string, number>> {
	const rows = await db
		.selectFrom("error_occurrences as occurrence")
		.innerJoin("error_groups", "error_groups.id", "occurrence.group_id")
		.where("occurrence.project_id", "=", asked.projectId)
		.where("occurrence.start_micros", ">=", asked.startMicros)
		.where("occurrence.start_micros", "<", asked.endMicros)
		.where("occurrence.user_id", "in", listed(users))
		.where("error_groups.state", "=", "open")
		.groupBy("occurrence.user_id")
		.select(({ fn }) => ["occurrence.user_id", fn.count<number>("occurrence.group_id").distinct().as("groups")])
		.execute();
	return new Map(rows.map(({ user_id: user, groups }) => [user ?? "", Number(groups)]));
}
