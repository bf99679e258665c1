import type { Kysely } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import { listed } from "#storage/listed.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import { type RightsSubject, reasonsAt } from "../rights/reasons.ts";
import type { RightsState } from "../rights/rights-state.ts";
import { higherRole } from "../rights/roles.ts";
import type { Team } from "./schemas.ts";

const MAX_HOMES = 200;

/** Where a team has a role, and how many members see that only by it. */
export async function findHomesOfTeam(
	db: Kysely<Tables>,
	state: RightsState,
	teamId: number,
): Promise<Pick<z.output<typeof Team>, "homes" | "home_count">> {
	const roles = rolesOfTeam(state, teamId);
	const some = [...roles].slice(0, MAX_HOMES);
	const projects = await db
		.selectFrom("projects")
		.select(["id", "name"])
		.where("id", "in", listed(some.flatMap(([home]) => (home === "library" ? [] : [home]))))
		.execute();
	const names = new Map<Home, string>([["library", "library"], ...projects.map(({ id, name }) => [id, name] as const)]);
	const members = await findSubjectsOfTeam(db, teamId);
	const homes = some.flatMap(([home, role]) => {
		const name = names.get(home);
		if (name === undefined) return [];
		const only_by_team = members.filter((member) => seesOnlyBy(state, member, home, teamId)).length;
		return [
			{
				...(home === "library"
					? { type: "library" as const }
					: { type: "project" as const, id: encodeGlobalId("Project", home) }),
				...{ name, role, only_by_team },
			},
		];
	});
	return { homes, home_count: roles.size };
}

function rolesOfTeam({ grantsAt, rulesAt }: RightsState, teamId: number): ReadonlyMap<Home, ProjectRole> {
	const roles = new Map<Home, ProjectRole>();
	const add = (home: Home, grants: readonly { teamId: number | undefined; role: ProjectRole }[]) => {
		for (const grant of grants) {
			if (grant.teamId === teamId) roles.set(home, higherRole(roles.get(home), grant.role) ?? grant.role);
		}
	};
	for (const [home, grants] of grantsAt) add(home, grants);
	for (const [home, rules] of rulesAt) for (const { grants } of rules) add(home, grants);
	return roles;
}

async function findSubjectsOfTeam(db: Kysely<Tables>, teamId: number): Promise<RightsSubject[]> {
	const memberships = await db
		.selectFrom("team_members as of_team")
		.innerJoin("team_members", "team_members.user_id", "of_team.user_id")
		.innerJoin("users", "users.id", "of_team.user_id")
		.select(["users.id", "users.role", "team_members.team_id"])
		.where("of_team.team_id", "=", teamId)
		.execute();
	return [...Map.groupBy(memberships, ({ id }) => id)].flatMap(([userId, rows]) => {
		const role = rows[0]?.role;
		return role === undefined ? [] : [{ userId, role, teamIds: new Set(rows.map(({ team_id }) => team_id)) }];
	});
}

function seesOnlyBy(state: RightsState, subject: RightsSubject, home: Home, teamId: number): boolean {
	const reasons = reasonsAt(state, subject, home);
	return reasons.length > 0 && reasons.every((reason) => reason.teamId === teamId);
}
