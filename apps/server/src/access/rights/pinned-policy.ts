import type { Config } from "#base/config.ts";
import type { AccessPolicySettings, PolicyVariables } from "./rights-state.ts";

/** The variable by which each part of the policy can be set. */
export const POLICY_VARIABLES = {
	defaultProjectAccess: "SERVICE_DEFAULT_PROJECT_ACCESS",
	openRoleOfMembers: "SERVICE_OPEN_ROLE_OF_MEMBERS",
	membersCreateProjects: "SERVICE_MEMBERS_CREATE_PROJECTS",
	maxKeyDays: "SERVICE_MAX_API_KEY_DAYS",
} as const satisfies Record<keyof AccessPolicySettings, keyof Config>;

type PolicyConfig = Pick<Config, (typeof POLICY_VARIABLES)[keyof AccessPolicySettings]>;

/** What variables set, which nobody can change in the service. */
export function pinnedPolicy(config: PolicyConfig): PolicyVariables {
	const {
		SERVICE_DEFAULT_PROJECT_ACCESS: defaultProjectAccess,
		SERVICE_OPEN_ROLE_OF_MEMBERS: openRoleOfMembers,
		SERVICE_MEMBERS_CREATE_PROJECTS: membersCreateProjects,
		SERVICE_MAX_API_KEY_DAYS: maxKeyDays,
	} = config;
	return {
		...(defaultProjectAccess === null ? {} : { defaultProjectAccess }),
		...(openRoleOfMembers === null ? {} : { openRoleOfMembers }),
		...(membersCreateProjects === null ? {} : { membersCreateProjects }),
		...(maxKeyDays === null ? {} : { maxKeyDays }),
	};
}
