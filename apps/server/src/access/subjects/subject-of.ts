import type { Kysely } from "kysely";
import type { Principal } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import type { RightsSubject } from "../rights/reasons.ts";
import { teamsOf } from "../rights/rights-reader.ts";

/** By whose role and grants a principal sees what it does; limits of keys are not part of it. */
export async function subjectOf(db: Kysely<Tables>, principal: Principal): Promise<RightsSubject> {
	if (principal.kind === "anonymous" || principal.kind === "admin_secret")
		return { userId: 0, role: "ADMIN", teamIds: new Set() };
	const { id, role } = principal.user;
	return { userId: id, role, teamIds: await teamsOf(db, id) };
}
