import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { assertRoom } from "#http/storage-full.ts";
import { formatTime } from "#http/wire-times.ts";
import type { AuditTarget } from "../auth/audit.ts";
import { noteRightsChange } from "../rights/change-rights.ts";
import { findSubjects } from "../subjects/find-subjects.ts";
import { subjectOf } from "../subjects/subject-of.ts";
import { findHomesOfTeam } from "./homes-of-team.ts";
import {
	addMembers,
	findMemberNames,
	findMemberships,
	getTeam,
	groupsOf,
	insertTeam,
	listMembers,
	listTeams,
	removeMembers,
	type TeamRow,
	updateTeam,
} from "./queries.ts";
import {
	CreateTeamBody,
	DeletedTeam,
	ListedTeam,
	MembersQuery,
	Team,
	TeamListQuery,
	TeamMember,
	UpdateMembersBody,
	UpdateTeamBody,
} from "./schemas.ts";

const OneTeam = z.object({ data: Team });
const params = z.object({ team_id: z.string() });
const noQuery = z.strictObject({});
const tags = ["teams"];
const whenAuthIsOff = "refused";
/** Members whose names a list of teams has. */
const MAX_NAMES = 100;

/** Teams, to which roles are given together. */
export function teamRoutes(app: App, context: Context): void {
	const { auth, capacity, db, now } = context;

	app.get(
		"/v1/teams",
		{
			config: { access: "read", home: "none", limitedKeys: "refused", whenAuthIsOff },
			schema: {
				operationId: "listTeams",
				tags,
				summary: "Page through teams, newest first",
				querystring: TeamListQuery,
				response: { 200: pageSchema(ListedTeam).meta({ id: "TeamPage" }) },
			},
		},
		async ({ principal, query }) => {
			const { role, teamIds } = await subjectOf(db.read, principal);
			const isAdmin = role === "ADMIN";
			const page = await pageOf(
				"Team",
				query,
				(part) => listTeams(db.read, { ...part, q: query.q }),
				(row) => row,
			);
			const shown = page.data.filter(({ id }) => isAdmin || teamIds.has(id)).map(({ id }) => id);
			const names = await findMemberNames(db.read, shown, MAX_NAMES);
			const data = page.data.map((row) => ({
				...toListedTeam(row),
				...(isAdmin ? { external_groups: groupsOf(row) } : {}),
				...(shown.includes(row.id) ? { members: [...(names.get(row.id) ?? [])] } : {}),
			}));
			return { data, next_cursor: page.next_cursor };
		},
	);

	app.post(
		"/v1/teams",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "createTeam",
				tags,
				summary: "Create a team",
				querystring: noQuery,
				body: CreateTeamBody,
				response: { 201: OneTeam },
			},
		},
		async (request, reply) => {
			const { name, description = null, external_groups: externalGroups = [] } = request.body;
			const team = await request.actor.change(async (transaction, principal) => {
				const row = await insertTeam(transaction, { name, description, externalGroups, now: now() });
				await noteRightsChange(transaction);
				await auth.audit.recordIn(transaction, {
					action: "team.create",
					outcome: "success",
					...{ principal, request },
					target: teamTarget(row),
					details: groupDetails(undefined, row),
				});
				return row;
			});
			auth.rights.invalidate();
			setEtag(reply, team);
			return reply.code(201).send({ data: await toTeam(team) });
		},
	);

	app.get(
		"/v1/teams/:team_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "getTeam",
				tags,
				summary: "Fetch a team, with where it has a role",
				params,
				querystring: noQuery,
				response: { 200: OneTeam },
			},
		},
		async (request, reply) => {
			const team = await getTeam(db.read, request.params.team_id);
			setEtag(reply, team);
			return { data: await toTeam(team) };
		},
	);

	app.patch(
		"/v1/teams/:team_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "updateTeam",
				tags,
				summary: "Change a team's name, description and groups",
				description: "A source none of whose groups is left takes its members out at once.",
				params,
				querystring: noQuery,
				body: UpdateTeamBody,
				response: { 200: OneTeam },
			},
		},
		async (request, reply) => {
			const { name, description, external_groups: externalGroups } = request.body;
			const team = await request.actor.change(async (transaction, principal) => {
				const before = await getTeam(transaction, request.params.team_id);
				assertIfMatch(request, before);
				if (before.source === "scim" && name !== undefined && name !== before.name) throw managedByScim("name");
				const changes = {
					...(name === undefined ? {} : { name }),
					...(description === undefined ? {} : { description }),
					...(externalGroups === undefined ? {} : { externalGroups }),
				};
				await updateTeam(transaction, before, changes, now());
				if (externalGroups !== undefined) {
					const kept = new Set(externalGroups.map(({ from }) => from));
					const gone = [...new Set(groupsOf(before).map(({ from }) => from))].filter((from) => !kept.has(from));
					if (gone.length > 0)
						await transaction
							.deleteFrom("team_members")
							.where("team_id", "=", before.id)
							.where("source", "in", gone)
							.execute();
				}
				await noteRightsChange(transaction);
				const row = await getTeam(transaction, request.params.team_id);
				await auth.audit.recordIn(transaction, {
					action: "team.update",
					outcome: "success",
					...{ principal, request },
					target: teamTarget(row),
					details: {
						...(row.name === before.name ? {} : { name_before: before.name, name: row.name }),
						...(row.description === before.description
							? {}
							: { description_before: before.description, description: row.description }),
						...groupDetails(before, row),
					},
				});
				return row;
			});
			auth.rights.invalidate();
			setEtag(reply, team);
			return { data: await toTeam(team) };
		},
	);

	app.delete(
		"/v1/teams/:team_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteTeam",
				tags,
				summary: "Delete a team with its grants; answers where people lost their role",
				params,
				querystring: noQuery,
				response: { 200: z.object({ data: DeletedTeam }) },
			},
		},
		async (request) => {
			const homes = await request.actor.change(async (transaction, principal) => {
				const team = await getTeam(transaction, request.params.team_id);
				assertIfMatch(request, team);
				const found = await findHomesOfTeam(transaction, await auth.rights.stateIn(transaction), team.id);
				await transaction.deleteFrom("teams").where("id", "=", team.id).execute();
				await noteRightsChange(transaction);
				await auth.audit.recordIn(transaction, {
					action: "team.delete",
					outcome: "success",
					...{ principal, request },
					target: teamTarget(team),
					details: { members: team.member_count, homes: found.home_count },
				});
				return found.homes.filter(({ only_by_team }) => only_by_team > 0);
			});
			auth.rights.invalidate();
			return { data: { homes } };
		},
	);

	app.get(
		"/v1/teams/:team_id/members",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listTeamMembers",
				tags,
				summary: "Page through the members of a team, with who says so",
				params,
				querystring: MembersQuery,
				response: { 200: pageSchema(TeamMember).meta({ id: "TeamMemberPage" }) },
			},
		},
		async ({ params, query }) => {
			const team = await getTeam(db.read, params.team_id);
			return await pageOf(
				"User",
				query,
				(part) => listMembers(db.read, team.id, part),
				({ id, username, sources }) => ({ id: encodeGlobalId("User", id), username, sources: [...sources] }),
			);
		},
	);

	app.patch(
		"/v1/teams/:team_id/members",
		{
			config: { access: "admin", home: "none", whenAuthIsOff, whenFull: "allowed" },
			schema: {
				operationId: "updateTeamMembers",
				tags,
				summary: "Add and remove members by hand, all or nothing",
				description: "Who is a member by a directory, a provider or SCIM is taken out there.",
				params,
				querystring: noQuery,
				body: UpdateMembersBody,
				response: { 200: OneTeam },
			},
		},
		async (request, reply) => {
			const { add = [], remove = [] } = request.body;
			if (add.length > 0) assertRoom(capacity);
			const team = await request.actor.change(async (transaction, principal) => {
				const before = await getTeam(transaction, request.params.team_id);
				assertIfMatch(request, before);
				const found = await findSubjects(
					transaction,
					[...add, ...remove].map((user) => ({ user })),
				);
				const memberships = await findMemberships(
					transaction,
					before.id,
					found.map(({ id }) => id),
				);
				const manual = new Set(memberships.flatMap(({ user_id, source }) => (source === "manual" ? [user_id] : [])));
				const added = found.slice(0, add.length).filter(({ id }) => !manual.has(id));
				const removed = found.slice(add.length).filter(({ id, name }) => {
					const others = memberships.filter(({ user_id, source }) => user_id === id && source !== "manual");
					if (!manual.has(id) && others[0] !== undefined) throw heldBy(name, others[0].source);
					return manual.has(id);
				});
				if (added.length + removed.length === 0) return before;
				await removeMembers(
					transaction,
					before.id,
					removed.map(({ id }) => id),
				);
				await addMembers(
					transaction,
					before,
					added.map(({ id }) => id),
					now(),
				);
				await updateTeam(transaction, before, {}, now());
				await noteRightsChange(transaction);
				const changes = [
					...added.map((user) => ({ action: "team.member.add", user }) as const),
					...removed.map((user) => ({ action: "team.member.remove", user }) as const),
				];
				for (const { action, user } of changes) {
					await auth.audit.recordIn(transaction, {
						...{ action, outcome: "success", principal, request },
						target: teamTarget(before),
						details: { user: user.name, user_id: encodeGlobalId("User", user.id), source: "manual" },
					});
				}
				return await getTeam(transaction, request.params.team_id);
			});
			auth.rights.invalidate();
			setEtag(reply, team);
			return { data: await toTeam(team) };
		},
	);

	async function toTeam(row: TeamRow): Promise<z.output<typeof Team>> {
		const homes = await findHomesOfTeam(db.read, await auth.rights.stateIn(db.read), row.id);
		return { ...toListedTeam(row), external_groups: groupsOf(row), ...homes };
	}
}

function toListedTeam(row: TeamRow): Omit<z.output<typeof ListedTeam>, "members" | "external_groups"> {
	return {
		id: encodeGlobalId("Team", row.id),
		name: row.name,
		description: row.description,
		source: row.source,
		member_count: row.member_count,
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}

function teamTarget({ id, name }: TeamRow): AuditTarget {
	return { type: "team", id, name };
}

function groupDetails(before: TeamRow | undefined, after: TeamRow): Readonly<Record<string, string>> {
	const [was, is] = [before === undefined ? "[]" : before.external_groups, after.external_groups];
	return was === is ? {} : { external_groups_before: was, external_groups: is };
}

function managedByScim(what: string): UserError {
	return new UserError(
		409,
		"managed_by_scim",
		`The ${what} of this team is managed by SCIM: change it at the identity provider.`,
	);
}

function heldBy(name: string, source: string): UserError {
	if (source === "scim") return managedByScim("membership");
	return new UserError(
		409,
		"member_by_group",
		`${name.slice(0, 128)} is a member by a group (${source}): take them out of it there.`,
	);
}
