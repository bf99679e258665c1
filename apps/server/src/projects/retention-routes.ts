import { z } from "zod";
import type { Context } from "../context.ts";
import { notFound, UserError } from "../errors.ts";
import type { App } from "../http/app-type.ts";
import { decodeGlobalId, encodeGlobalId } from "../http/global-ids.ts";
import { getProject } from "./queries.ts";
import { RetentionAnswer, SetRetentionBody } from "./schemas.ts";

/** The policy that every project has: nothing is deleted by age. It is written as null. */
const DEFAULT_POLICY = 0;

export function retentionRoutes(app: App, { db }: Context): void {
	app.patch(
		"/v1/projects/:project_identifier/retention",
		{
			config: { access: "admin" },
			schema: {
				operationId: "setProjectRetentionPolicy",
				tags: ["projects"],
				summary: "Set the retention policy of a project",
				description: "There is one policy, the default: nothing is deleted by age.",
				params: z.object({ project_identifier: z.string() }),
				body: SetRetentionBody,
				response: { 200: RetentionAnswer },
			},
		},
		async ({ params, body }) => {
			const project = await getProject(db.read, params.project_identifier);
			checkPolicy(body.policy_id);
			return { data: { project_id: encodeGlobalId("Project", project.id), policy_id: null } };
		},
	);
}

function checkPolicy(policyId: string | null): void {
	if (policyId === null) return;
	const rowId = decodeGlobalId(policyId, "ProjectTraceRetentionPolicy");
	if (rowId === undefined) {
		throw new UserError(422, "invalid_retention_policy", `Invalid retention policy ID: ${policyId}`);
	}
	if (rowId !== DEFAULT_POLICY) {
		throw notFound("retention_policy_not_found", `Retention policy with ID ${policyId} not found`);
	}
}
