import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { projectRole, Subject, SubjectBody } from "../subjects/schemas.ts";

const MAX_GRANTS = 500;
/** Projects that a preview names. */
export const MAX_PREVIEW = 100;

const pattern = storedText(255).min(1).describe("`*` stands for any characters, everything else for itself: `pay-*`.");
const accessOfNew = z
	.enum(["open", "restricted"])
	.nullable()
	.describe("What a new project begins with that fits; of several rules one that says restricted wins.");

export const Rule = z
	.object({
		id: z.string(),
		pattern: z.string(),
		access_of_new: accessOfNew,
		grants: z.array(z.object({ subject: Subject, role: projectRole })),
		description: z.string().nullable(),
		project_count: z.int().describe("Projects that fit now."),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "AccessRule" });

export const RuleListQuery = z.strictObject({ cursor: cursorParam, limit: limitParam(100) });

const grants = bodyList(z.strictObject({ subject: SubjectBody, role: projectRole }), { max: MAX_GRANTS });
const description = storedText(10_000).nullable().optional();

export const CreateRuleBody = z.strictObject({
	pattern,
	access_of_new: accessOfNew.optional(),
	grants: grants.optional(),
	description,
});

export const UpdateRuleBody = z
	.strictObject({
		pattern: pattern.optional(),
		access_of_new: accessOfNew.optional(),
		grants: grants.optional().describe("All that the rule has then."),
		description,
	})
	.refine((body) => Object.values(body).some((value) => value !== undefined), "name at least one field to change");

export const PreviewBody = z.strictObject({ pattern });
export const RulePreview = z
	.object({
		project_count: z.int(),
		projects: z.array(z.object({ id: z.string(), name: z.string() })).describe(`At most ${MAX_PREVIEW}, newest first.`),
	})
	.meta({ id: "AccessRulePreview" });
