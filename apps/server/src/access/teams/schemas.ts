import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { cursorParam, limitParam, searchParam } from "#http/query-params.ts";
import { storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { projectRole } from "../subjects/schemas.ts";

const MAX_GROUPS = 50;
/** Members that one request may add and remove. */
const MAX_CHANGES = 1_000;

/** As names of people: without characters that nobody sees. */
const teamName = storedText(128)
	.transform((name) => name.trim().normalize("NFC"))
	.refine((name) => name !== "", "a name has at least one character")
	.refine((name) => !/\p{C}/u.test(name), "the name has control, invisible or direction characters")
	.describe("Unique in any case.");

const ExternalGroup = z
	.strictObject({
		from: z
			.string()
			.regex(/^(oauth2:[a-z0-9_]{1,64}|ldap)$/, "it should be 'ldap', or 'oauth2:' and the id of a provider"),
		group: storedText(1_000).refine((group) => group !== "", "the group is empty"),
	})
	.meta({ id: "ExternalGroup" });
export const ExternalGroups = z.array(ExternalGroup);
export type ExternalGroups = z.output<typeof ExternalGroups>;

const team = {
	id: z.string(),
	name: z.string(),
	description: z.string().nullable(),
	source: z.enum(["manual", "scim"]).describe("Who made the team, and says its name."),
	member_count: z.int(),
	created_at: wireTime,
	updated_at: wireTime,
};
const GROUPS =
	"Groups at providers and in the directory that are the team's. They are kept; this version makes nobody a member by them.";
const externalGroups = ExternalGroups.describe(GROUPS);

const TeamHome = z
	.object({
		type: z.enum(["project", "library"]),
		id: z.string().optional(),
		name: z.string(),
		role: projectRole.describe("The highest that the team has here."),
		only_by_team: z.int().describe("Members who would not see it without this team."),
	})
	.meta({ id: "TeamHome" });

export const Team = z
	.object({
		...team,
		external_groups: externalGroups,
		homes: z.array(TeamHome).describe("Where the team has a role, at most 200."),
		home_count: z.int(),
	})
	.meta({ id: "Team" });

export const TeamMember = z
	.object({
		id: z.string(),
		username: z.string(),
		sources: z.array(z.string()).describe("Who says so: `manual`, `scim`, `ldap`, `oauth2:<provider>`."),
	})
	.meta({ id: "TeamMember" });

export const ListedTeam = z
	.object({
		...team,
		external_groups: externalGroups.optional().describe(`${GROUPS} For admins.`),
		members: z.array(z.string()).optional().describe("Usernames, at most 100; for admins and members of the team."),
	})
	.meta({ id: "ListedTeam" });

export const TeamListQuery = z.strictObject({
	cursor: cursorParam,
	limit: limitParam(100),
	q: searchParam.optional().describe("Part of the name, in any case."),
});

const given = {
	description: storedText(10_000).nullish(),
	external_groups: z.array(ExternalGroup).max(MAX_GROUPS).optional().describe(GROUPS),
};

export const CreateTeamBody = z.strictObject({ name: teamName, ...given });
export const UpdateTeamBody = z
	.strictObject({ name: teamName.optional(), ...given })
	.refine((body) => Object.values(body).some((value) => value !== undefined), "name at least one field to change");

const user = storedText(1_000).min(1).describe("Id, email or username.");
export const UpdateMembersBody = z
	.strictObject({
		add: bodyList(user, { max: MAX_CHANGES }).optional(),
		remove: bodyList(user, { max: MAX_CHANGES }).optional(),
	})
	.refine(({ add = [], remove = [] }) => add.length + remove.length > 0, "name at least one user")
	.refine(({ add = [], remove = [] }) => add.length + remove.length <= MAX_CHANGES, `at most ${MAX_CHANGES} users`);

export const MembersQuery = z.strictObject({ cursor: cursorParam, limit: limitParam(100) });

export const DeletedTeam = z
	.object({ homes: z.array(TeamHome).describe("Where people lost their role, at most 200.") })
	.meta({ id: "DeletedTeam" });
