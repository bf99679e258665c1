import type { Kysely } from "kysely";
import type { z } from "zod";
import { type Reason, reasonsAt, roleBy } from "#access/rights/reasons.ts";
import type { RightsState } from "#access/rights/rights-state.ts";
import { higherRole } from "#access/rights/roles.ts";
import { findNames } from "#access/subjects/find-subjects.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import { listed } from "#storage/listed.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { Person } from "./schemas.ts";
import { grantsHere, subjectsOf, toBecause } from "./show-access.ts";

/** Somebody who has a role at a home. */
export interface PersonHere {
	readonly id: number;
	readonly username: string;
	readonly countsAs: ProjectRole;
	readonly reasons: readonly Reason[];
}

/** Everybody who has a role at a home. */
export async function findPeople(db: Kysely<Tables>, state: RightsState, home: Home): Promise<PersonHere[]> {
	const { teamIds } = subjectsOf(grantsHere(state, home).map(({ grant }) => grant));
	const members = await db
		.selectFrom("team_members")
		.select(["user_id", "team_id"])
		.where("team_id", "in", listed([...teamIds]))
		.execute();
	const teamsOfUsers = Map.groupBy(members, ({ user_id }) => user_id);
	const users = await db.selectFrom("users").select(["id", "username", "role"]).where("role", "<>", "SYSTEM").execute();
	return users.flatMap(({ id, username, role }) => {
		const teams = new Set(teamsOfUsers.get(id)?.map(({ team_id }) => team_id));
		const reasons = reasonsAt(state, { userId: id, role, teamIds: teams }, home);
		const countsAs = roleBy(reasons);
		return countsAs === undefined ? [] : [{ id, username, countsAs, reasons }];
	});
}

/** They as the wire shows them. */
export async function toPeople(
	db: Kysely<Tables>,
	state: RightsState,
	people: readonly PersonHere[],
): Promise<z.output<typeof Person>[]> {
	const names = await findNames(db, subjectsOf(people.flatMap(({ reasons }) => reasons)));
	return people.map(({ id, username, countsAs, reasons }) => ({
		id: encodeGlobalId("User", id),
		username,
		role: reasons.reduce<ProjectRole>((highest, { role }) => higherRole(highest, role) ?? role, countsAs),
		counts_as: countsAs,
		because: reasons.map((reason) => toBecause(reason, state, names)),
	}));
}
