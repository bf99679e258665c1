import { z } from "zod";

const projectAccess = z.enum(["open", "restricted"]);
const roleOfMembers = z.enum(["viewer", "annotator", "editor"]);
const keyDays = z.int().min(1).max(3_650);

function field<T extends z.ZodType>(value: T, text: string) {
	return z
		.object({
			value,
			pinned: z.boolean().describe("Set by `variable`, and not to be changed here."),
			variable: z.string(),
		})
		.describe(text);
}

export const Policy = z
	.object({
		default_project_access: field(projectAccess, "What a new project begins with."),
		open_role_of_members: field(roleOfMembers, "What a MEMBER may do where a project is open."),
		members_create_projects: field(z.boolean(), "Whether a MEMBER may create projects, also by sending spans."),
		max_key_days: field(keyDays.nullable(), "Days after which a new API key expires at the latest; null for no end."),
	})
	.meta({ id: "AccessPolicy" });

export const UpdatePolicyBody = z
	.strictObject({
		default_project_access: projectAccess.optional(),
		open_role_of_members: roleOfMembers.optional(),
		members_create_projects: z.boolean().optional(),
		max_key_days: keyDays.nullable().optional(),
	})
	.refine((body) => Object.values(body).some((value) => value !== undefined), "name at least one field to change");
export type UpdatePolicyBody = z.output<typeof UpdatePolicyBody>;
