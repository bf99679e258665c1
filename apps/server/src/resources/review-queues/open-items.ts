import { type Kysely, sql } from "kysely";
import { mayCall } from "#access/auth/may-call.ts";
import { includesRole } from "#access/rights/roles.ts";
import { isPerson, type Principal } from "#http/principal.ts";
import type { Home, Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { QueueRow } from "./queues.ts";
import type { Asking } from "./reserve.ts";

/** Whether this is somebody who may review at all. */
export function mayReview(principal: Principal): boolean {
	return (principal.kind === "anonymous" || isPerson(principal)) && mayCall(principal, "write");
}

/** Row numbers of the projects that are seen, but not annotated in; 0 for the library. */
export async function projectsOnlyRead(db: Kysely<Tables>, rights: Rights): Promise<ReadonlySet<number>> {
	const projects = await db.selectFrom("projects").select("id").execute();
	const homes: Home[] = ["library", ...projects.map(({ id }) => id)];
	const onlyRead = homes.filter((home) => !includesRole(rights.roleAt(home), "annotator"));
	return new Set(onlyRead.map((home) => (home === "library" ? 0 : home)));
}

/** How many items of a queue wait for a decision that this adjudicator may make; no more than `most` are counted. */
export async function countUndecided(
	db: Kysely<Tables>,
	queue: Pick<QueueRow, "id">,
	{ rights, readOnly }: Pick<Asking, "rights" | "readOnly">,
	most: number,
): Promise<number> {
	let query = db
		.selectFrom("review_items")
		.select("id")
		.where("queue_id", "=", queue.id)
		.where("state", "=", "disagreement")
		.where(isSeenHome("review_items.project_id", rights))
		.limit(most);
	if (readOnly.size > 0) query = query.where(sql`coalesce(project_id, 0)`, "not in", listed([...readOnly]));
	return (await query.execute()).length;
}
