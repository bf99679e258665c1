import type { Kysely } from "kysely";
import type { Home } from "#http/rights.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { grantsHere, type RightsSubject } from "./reasons.ts";
import type { RightsState } from "./rights-state.ts";

export interface RightsAccount extends RightsSubject {
	readonly username: string;
}

/** Everybody with an account of their own, with those of their teams that have a role at one of the homes. */
export async function findAccounts(
	db: Kysely<Tables>,
	state: RightsState,
	homes: readonly Home[],
): Promise<RightsAccount[]> {
	const teams = homes.flatMap((home) => grantsHere(state, home).flatMap(({ grant }) => grant.teamId ?? []));
	const members = await db
		.selectFrom("team_members")
		.select(["user_id", "team_id"])
		.where("team_id", "in", listed(teams))
		.execute();
	const teamsOfUsers = Map.groupBy(members, ({ user_id }) => user_id);
	const users = await db.selectFrom("users").select(["id", "username", "role"]).where("role", "<>", "SYSTEM").execute();
	return users.map(({ id, username, role }) => ({
		...{ userId: id, username, role },
		teamIds: new Set(teamsOfUsers.get(id)?.map(({ team_id }) => team_id)),
	}));
}
