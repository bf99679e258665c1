import { z } from "zod";
import { projectRole, Subject, SubjectBody } from "#access/subjects/schemas.ts";
import { bodyList } from "#http/body-list.ts";
import { cursorParam, limitParam, MAX_PARAM_LENGTH } from "#http/query-params.ts";
import { wireTime } from "#http/wire-times.ts";

/** People and teams that one request may name. */
export const MAX_CHANGES = 500;
const MAX_PROJECTS = 1_000;

export const access = z.enum(["open", "restricted"]);

const Because = z
	.object({
		kind: z
			.enum(["admin", "system", "open", "direct", "team", "rule"])
			.describe(
				"`admin` and `system` by the role in the whole service, `open` as the home is open, `direct` by a grant to the person, `team` by one to a team, `rule` by a rule.",
			),
		name: z.string().optional().describe("Of the team, or the pattern of the rule."),
		team: z.string().optional().describe("With `rule`: the name of the team that has it by the rule."),
		role: projectRole,
		counts_as: projectRole.describe("Lower than `role` where the person's role in the whole service is."),
	})
	.meta({ id: "AccessReason" });

export const OwnAccess = z.object({ role: projectRole.nullable(), because: z.array(Because) });

const Grant = z
	.object({
		subject: Subject,
		role: projectRole,
		counts_as: projectRole.describe("Lower than `role` where the person's role in the whole service is."),
		by: z.enum(["direct", "rule"]),
		rule: z.object({ id: z.string(), pattern: z.string() }).optional(),
	})
	.meta({ id: "AccessGrant" });

export const HomeAccess = z
	.object({
		access,
		follows: z
			.object({ type: z.enum(["project", "library"]), id: z.string().optional(), name: z.string() })
			.optional()
			.describe("Where the access of a project is set that was made for a dataset's experiment."),
		grants: z.array(Grant).optional().describe("For managers."),
		managers: z.array(Subject).optional().describe("For others: some of those whom they may ask."),
		own: OwnAccess,
		may_manage: z.boolean(),
	})
	.meta({ id: "HomeAccess" });

const change = {
	access: access.optional(),
	set: bodyList(z.strictObject({ subject: SubjectBody, role: projectRole }), { max: MAX_CHANGES }).optional(),
	remove: bodyList(SubjectBody, { max: MAX_CHANGES }).optional(),
};

/** What a request changes; subjects are named once in both lists. */
export const AccessChange = z
	.strictObject(change)
	.refine(({ set = [], remove = [] }) => set.length + remove.length <= MAX_CHANGES, `at most ${MAX_CHANGES} subjects`)
	.refine((body) => Object.values(body).some((value) => value !== undefined), "name at least one thing to change")
	.meta({ id: "AccessChange" });
export type AccessChange = z.output<typeof AccessChange>;

export const ChangedHomeAccess = HomeAccess.extend({
	people_count: z.int().describe("People who have a role here now."),
}).meta({ id: "ChangedHomeAccess" });

export const AccessBatchBody = z.strictObject({
	projects: bodyList(z.string().min(1).max(MAX_PARAM_LENGTH), { min: 1, max: MAX_PROJECTS }).describe("Ids or names."),
	change: AccessChange,
	atomic: z.boolean().optional().describe("All or none: the first project that cannot be changed is the answer."),
});

export const AccessBatchResult = z
	.object({
		project: z.string().describe("As it was sent."),
		outcome: z.enum(["changed", "unchanged", "refused"]),
		code: z.string().optional().describe("Why it was refused."),
		message: z.string().optional(),
	})
	.meta({ id: "AccessBatchResult" });

/** People and keys that a preview names. */
export const MAX_NAMED = 100;

export const Restricting = z
	.object({
		keeping_count: z.int().describe("People who would still see it."),
		losing_count: z.int().describe("People who would not see it any more."),
		losing: z.array(z.object({ id: z.string(), username: z.string() })).describe(`At most ${MAX_NAMED} of them.`),
		refused_keys: z
			.array(z.object({ name: z.string(), hint: z.string(), owner: z.string(), last_used_at: wireTime }))
			.describe(`Keys of theirs that were used, the last used first, at most ${MAX_NAMED}.`),
	})
	.meta({ id: "RestrictingEffects" });

const MAX_PREVIEWED = 100;

export const AccessPreviewBody = AccessBatchBody.pick({ change: true }).extend({
	projects: bodyList(z.string().min(1).max(MAX_PARAM_LENGTH), { min: 1, max: MAX_PREVIEWED }).describe("Ids or names."),
});

export const AccessPreview = z
	.object({
		project: z.string().describe("As it was sent."),
		effects: Restricting.optional(),
		refused: z.object({ code: z.string(), message: z.string() }).optional().describe("Why it cannot be changed."),
	})
	.meta({ id: "AccessPreview" });

export const Person = z
	.object({
		id: z.string(),
		username: z.string(),
		role: projectRole.describe("The highest that they were given."),
		counts_as: projectRole.describe("What they may do here."),
		because: z.array(Because),
	})
	.meta({ id: "AccessPerson" });

export const PeopleQuery = z.strictObject({ cursor: cursorParam, limit: limitParam(100) });
