import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { teamKey } from "../subjects/find-subjects.ts";
import { ExternalGroups } from "./schemas.ts";

export type TeamRow = Selectable<Tables["teams"]> & { readonly member_count: number };

const MAX_TEAMS = 1_000;
const MAX_MEMBERS = 10_000;

const memberCount = sql<number>`(select count(distinct user_id) from team_members where team_id = teams.id)`;

/** Teams, newest first, from `fromId` downwards. */
export async function listTeams(
	db: Kysely<Tables>,
	{ limit, fromId, q }: { limit: number; fromId: number | undefined; q: string | undefined },
): Promise<TeamRow[]> {
	let query = db
		.selectFrom("teams")
		.selectAll()
		.select(memberCount.as("member_count"))
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (q !== undefined && q !== "") {
		const pattern = `%${teamKey(q).replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`name_key like ${pattern} escape '\\'`);
	}
	return await query.execute();
}

/** The team that a path names. @throws UserError 422, 404 */
export async function getTeam(db: Kysely<Tables>, text: string): Promise<TeamRow> {
	const id = decodeGlobalId(text, "Team");
	if (id === undefined)
		throw new UserError(
			422,
			"invalid_team_id",
			`Invalid team id: ${text.slice(0, 100)}; GET /v1/teams lists teams with their ids`,
		);
	const team = await db
		.selectFrom("teams")
		.selectAll()
		.select(memberCount.as("member_count"))
		.where("id", "=", id)
		.executeTakeFirst();
	if (team === undefined) throw notFound("team_not_found", "There is no such team");
	return team;
}

/** @throws UserError 409 when the name is taken, or there are too many */
export async function insertTeam(
	transaction: Transaction<Tables>,
	team: { name: string; description: string | null; externalGroups: ExternalGroups; now: number },
): Promise<TeamRow> {
	await assertNameFree(transaction, team.name);
	const { count } = await transaction
		.selectFrom("teams")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (count >= MAX_TEAMS) throw new UserError(409, "too_many_teams", `There are already ${MAX_TEAMS} teams.`);
	const row = await transaction
		.insertInto("teams")
		.values({
			...{ name: team.name, name_key: teamKey(team.name), description: team.description, source: "manual" },
			...{ external_groups: JSON.stringify(team.externalGroups), created_at: team.now, updated_at: team.now },
		})
		.returningAll()
		.executeTakeFirstOrThrow();
	return { ...row, member_count: 0 };
}

export interface TeamChanges {
	readonly name?: string;
	readonly description?: string | null;
	readonly externalGroups?: ExternalGroups;
}

/** @throws UserError 409 when the name is taken */
export async function updateTeam(
	transaction: Transaction<Tables>,
	before: TeamRow,
	{ name, description, externalGroups }: TeamChanges,
	now: number,
): Promise<void> {
	if (name !== undefined) await assertNameFree(transaction, name, before.id);
	await transaction
		.updateTable("teams")
		.set({
			...(name === undefined ? {} : { name, name_key: teamKey(name) }),
			...(description === undefined ? {} : { description }),
			...(externalGroups === undefined ? {} : { external_groups: JSON.stringify(externalGroups) }),
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("id", "=", before.id)
		.execute();
}

export function groupsOf(team: Pick<TeamRow, "external_groups">): ExternalGroups {
	return ExternalGroups.parse(JSON.parse(team.external_groups));
}

async function assertNameFree(db: Kysely<Tables>, name: string, exceptId = 0): Promise<void> {
	const taken = await db
		.selectFrom("teams")
		.select("id")
		.where("name_key", "=", teamKey(name))
		.where("id", "<>", exceptId)
		.executeTakeFirst();
	if (taken !== undefined) throw new UserError(409, "team_exists", "A team with this name already exists");
}

export interface MemberRow {
	readonly id: number;
	readonly username: string;
	readonly sources: readonly string[];
}

/** Members by row number, from `fromId` on. */
export async function listMembers(
	db: Kysely<Tables>,
	teamId: number,
	{ limit, fromId = 0 }: { limit: number; fromId?: number | undefined },
): Promise<MemberRow[]> {
	const users = await db
		.selectFrom("users")
		.select(["id", "username"])
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom("team_members").select("user_id").whereRef("user_id", "=", "users.id").where("team_id", "=", teamId),
			),
		)
		.where("id", ">=", fromId)
		.orderBy("id")
		.limit(limit)
		.execute();
	const rows = await db
		.selectFrom("team_members")
		.select(["user_id", "source"])
		.where("team_id", "=", teamId)
		.where("user_id", "in", listed(users.map(({ id }) => id)))
		.orderBy("source")
		.execute();
	const sources = Map.groupBy(rows, ({ user_id }) => user_id);
	return users.map((user) => ({ ...user, sources: (sources.get(user.id) ?? []).map(({ source }) => source) }));
}

/** The memberships of these users, whoever says so. */
export async function findMemberships(
	db: Kysely<Tables>,
	teamId: number,
	userIds: readonly number[],
): Promise<{ user_id: number; source: string }[]> {
	return await db
		.selectFrom("team_members")
		.select(["user_id", "source"])
		.where("team_id", "=", teamId)
		.where("user_id", "in", listed(userIds))
		.execute();
}

/** @throws UserError 409 when the team would have too many members */
export async function addMembers(
	transaction: Transaction<Tables>,
	team: TeamRow,
	userIds: readonly number[],
	now: number,
): Promise<void> {
	if (userIds.length === 0) return;
	await transaction
		.insertInto("team_members")
		.values(userIds.map((user_id) => ({ team_id: team.id, user_id, source: "manual", created_at: now })))
		.onConflict((conflict) => conflict.doNothing())
		.execute();
	const { count } = await transaction
		.selectFrom("team_members")
		.select(({ fn }) => fn.count<number>("user_id").distinct().as("count"))
		.where("team_id", "=", team.id)
		.executeTakeFirstOrThrow();
	if (count <= MAX_MEMBERS) return;
	throw new UserError(409, "too_many_members", `A team has at most ${MAX_MEMBERS} members.`);
}

export async function removeMembers(
	transaction: Transaction<Tables>,
	teamId: number,
	userIds: readonly number[],
): Promise<void> {
	await transaction
		.deleteFrom("team_members")
		.where("team_id", "=", teamId)
		.where("source", "=", "manual")
		.where("user_id", "in", listed(userIds))
		.execute();
}

/** Usernames of members, by team, at most `most` of each. */
export async function findMemberNames(
	db: Kysely<Tables>,
	teamIds: readonly number[],
	most: number,
): Promise<ReadonlyMap<number, readonly string[]>> {
	const rows = await db
		.selectFrom("team_members")
		.innerJoin("users", "users.id", "team_members.user_id")
		.select(["team_members.team_id", "users.username"])
		.distinct()
		.where("team_members.team_id", "in", listed(teamIds))
		.orderBy("users.username")
		.execute();
	const byTeam = Map.groupBy(rows, ({ team_id }) => team_id);
	return new Map([...byTeam].map(([id, members]) => [id, members.slice(0, most).map(({ username }) => username)]));
}
