import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { assertTagMatches, tagOf } from "#http/etag.ts";
import { lastChangeDetails } from "../audit/queries.ts";
import { noteRightsChange } from "../rights/change-rights.ts";
import { assertNoOlderServer } from "../rights/older-servers.ts";
import { POLICY_VARIABLES, pinnedPolicy } from "../rights/pinned-policy.ts";
import type { AccessPolicySettings } from "../rights/rights-state.ts";
import { Policy, UpdatePolicyBody } from "./schemas.ts";

const OnePolicy = z.object({ data: Policy });
const tags = ["access"];
const noQuery = z.strictObject({});
const TARGET = { type: "access_policy", name: "access policy" } as const;

const FIELDS = {
	default_project_access: "defaultProjectAccess",
	open_role_of_members: "openRoleOfMembers",
	members_create_projects: "membersCreateProjects",
	max_key_days: "maxKeyDays",
} as const satisfies Record<keyof UpdatePolicyBody, keyof AccessPolicySettings>;

/** What holds for all projects and keys. */
export function accessPolicyRoutes(app: App, { auth, cluster, config, db }: Context): void {
	const pinned = pinnedPolicy(config);

	app.get(
		"/v1/access_policy",
		{
			config: { access: "admin", home: "none", whenAuthIsOff: "refused" },
			schema: {
				operationId: "getAccessPolicy",
				tags,
				summary: "What new projects begin with, and what members may do where nothing else says so",
				querystring: noQuery,
				response: { 200: OnePolicy },
			},
		},
		async (_request, reply) => {
			const { policy } = await auth.rights.stateIn(db.read);
			reply.header("etag", tagOf(policy));
			return { data: toPolicy(policy) };
		},
	);

	app.patch(
		"/v1/access_policy",
		{
			config: { access: "admin", home: "none", whenAuthIsOff: "refused" },
			schema: {
				operationId: "updateAccessPolicy",
				tags,
				summary: "Change what new projects begin with, and what members may do where nothing else says so",
				querystring: noQuery,
				body: UpdatePolicyBody,
				response: { 200: OnePolicy },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			for (const [name, field] of fieldsOf(body))
				if (field in pinned) throw setByVariable(name, POLICY_VARIABLES[field]);
			if (body.default_project_access === "restricted") await assertNoOlderServer(cluster);
			const policy = await actor.change(async (transaction, principal) => {
				const { policy: before } = await auth.rights.stateIn(transaction);
				await assertTagMatches(request, tagOf(before), () => lastChangeDetails(transaction, ["access.policy"], TARGET));
				await noteRightsChange(transaction);
				const { members_create_projects: create, ...rest } = body;
				await transaction
					.updateTable("access_policy")
					.set({ ...rest, ...(create === undefined ? {} : { members_create_projects: create ? 1 : 0 }) })
					.where("id", "=", 1)
					.execute();
				const { policy: after } = await auth.rights.stateIn(transaction);
				const changed = fieldsOf(body).filter(([, field]) => before[field] !== after[field]);
				if (changed.length === 0) return after;
				await auth.audit.recordIn(transaction, {
					action: "access.policy",
					outcome: "success",
					...{ principal, request },
					target: TARGET,
					details: Object.fromEntries(
						changed.flatMap(([name, field]) => [
							[`${name}_before`, before[field]],
							[name, after[field]],
						]),
					),
				});
				return after;
			});
			auth.rights.invalidate();
			reply.header("etag", tagOf(policy));
			return { data: toPolicy(policy) };
		},
	);

	function toPolicy(policy: AccessPolicySettings): z.output<typeof Policy> {
		const about = (field: keyof AccessPolicySettings) => ({
			pinned: field in pinned,
			variable: POLICY_VARIABLES[field],
		});
		return {
			default_project_access: { value: policy.defaultProjectAccess, ...about("defaultProjectAccess") },
			open_role_of_members: { value: policy.openRoleOfMembers, ...about("openRoleOfMembers") },
			members_create_projects: { value: policy.membersCreateProjects, ...about("membersCreateProjects") },
			max_key_days: { value: policy.maxKeyDays, ...about("maxKeyDays") },
		};
	}
}

function fieldsOf(body: UpdatePolicyBody): [keyof UpdatePolicyBody, keyof AccessPolicySettings][] {
	const names = Object.keys(FIELDS) as (keyof UpdatePolicyBody)[];
	return names.filter((name) => body[name] !== undefined).map((name) => [name, FIELDS[name]]);
}

function setByVariable(name: string, variable: string): UserError {
	return new UserError(409, "set_by_variable", `${name} is set by ${variable}: change it there, or unset it.`, {
		details: { variable },
	});
}
