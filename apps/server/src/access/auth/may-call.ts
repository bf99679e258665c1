import type { AccessPolicy } from "#http/access-policy.ts";
import {
	isLimited,
	type KeyPermission,
	type KeyPrincipal,
	type Principal,
	type TokenPrincipal,
} from "#http/principal.ts";

/** Whether `principal` may call a route with this policy: the table beside {@link AccessPolicy}. */
export function mayCall(principal: Principal, access: AccessPolicy): boolean {
	if (access === "public") return true;
	if ("limits" in principal && lackOf(principal, access) !== undefined) return false;
	switch (principal.kind) {
		case "anonymous":
			return true;
		case "admin_secret":
			return access !== "own_account" && access !== "session";
		case "system_key":
			return access === "read" || isWriting(access) || access === "account";
		case "run":
			if (principal.user.role === "SYSTEM") return access === "read" || access === "annotate" || access === "write";
			return ["read", "annotate", "write", "admin"].includes(access) && mayCallByRole(principal.user.role, access);
		case "user_key":
			return mayCallByRole(principal.user.role, access) && access !== "admin_session" && access !== "session";
		case "oauth_token":
			return mayCallByRole(principal.user.role, access);
		case "session":
			if (principal.passwordDue && access !== "account" && access !== "own_account") return false;
			return mayCallByRole(principal.user.role, access);
	}
}

/** The permissions of which a limited key needs one; no permission admits to other policies. */
const ADMITTING: ReadonlyMap<AccessPolicy, readonly KeyPermission[]> = new Map([
	["read", ["read"]],
	["ingest", ["ingest", "write"]],
	["annotate", ["annotate", "write"]],
	["write", ["write"]],
	["account", ["read", "annotate", "write"]],
]);

/**
 * What a key or token would need for this policy, whatever its user may: a permission, or to have neither permissions nor
 * homes; undefined when it needs nothing more. No token is enough for what makes keys or is about one's own account.
 */
export function lackOf(
	sender: KeyPrincipal | TokenPrincipal,
	access: AccessPolicy,
): KeyPermission | "admin" | "no_limits" | undefined {
	const isToken = sender.kind === "oauth_token";
	if (isToken && access === "admin") return sender.admin ? undefined : "admin";
	if (!isToken && !isLimited(sender)) return undefined;
	const admitting = ADMITTING.get(access);
	if (admitting === undefined) return "no_limits";
	const { permissions } = sender.limits;
	const [named] = admitting;
	return permissions === undefined || admitting.some((each) => permissions.has(each)) ? undefined : named;
}

/** Whether a policy is about changing what a project has. */
function isWriting(access: AccessPolicy): boolean {
	return access === "write" || access === "annotate" || access === "ingest";
}

function mayCallByRole(role: string, access: AccessPolicy): boolean {
	if (access === "admin" || access === "admin_session") return role === "ADMIN";
	if (isWriting(access)) return role === "ADMIN" || role === "MEMBER";
	return role === "ADMIN" || role === "MEMBER" || role === "VIEWER";
}
