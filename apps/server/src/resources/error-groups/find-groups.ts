import type { Kysely } from "kysely";
import { notFound } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** Groups with the fingerprint by which each is called, and the name of the assignee. */
function groups(db: Kysely<Tables>) {
	return db
		.selectFrom("error_groups")
		.innerJoin("error_group_fingerprints as named", (join) =>
			join
				.onRef("named.project_id", "=", "error_groups.project_id")
				.onRef("named.fingerprint", "=", "error_groups.fingerprint"),
		)
		.leftJoin("users", "users.id", "error_groups.assignee_id")
		.selectAll("error_groups")
		.select(["named.kind", "named.type", "named.title", "named.message", "named.culprit", "named.grouping"])
		.select("users.username as assignee_name");
}

export type GroupRow = Awaited<ReturnType<ReturnType<typeof groups>["executeTakeFirstOrThrow"]>>;

/** In the order of their row numbers in `ids`; without those that are gone. */
export async function findGroups(db: Kysely<Tables>, ids: readonly number[]): Promise<GroupRow[]> {
	const rows = await groups(db).where("error_groups.id", "in", listed(ids)).execute();
	const byId = new Map(rows.map((row) => [row.id, row]));
	return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The group of a global id, in a project that the actor sees and enters. @throws UserError 404, 403 */
export async function getGroup(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	identifier: string,
): Promise<GroupRow> {
	const id = decodeGlobalId(identifier, "ErrorGroup");
	const row = id === undefined ? undefined : await groups(db).where("error_groups.id", "=", id).executeTakeFirst();
	if (row !== undefined && enterSeen(actor, row.project_id)) return row;
	throw groupNotFound();
}

export function groupNotFound() {
	return notFound("error_group_not_found", "There is no group of errors with this id");
}
