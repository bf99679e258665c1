import type { AccessPolicy } from "#http/access-policy.ts";
import type { Principal } from "#http/principal.ts";

/** Whether `principal` may call a route with this policy: the table beside {@link AccessPolicy}. */
export function mayCall(principal: Principal, access: AccessPolicy): boolean {
	if (access === "public") return true;
	switch (principal.kind) {
		case "anonymous":
			return true;
		case "admin_secret":
			return access !== "own_account" && access !== "session";
		case "system_key":
			return access === "read" || access === "write" || access === "ingest" || access === "account";
		case "run":
			if (principal.user.role === "SYSTEM") return access === "read" || access === "write";
			return (
				(access === "read" || access === "write" || access === "admin") && mayCallByRole(principal.user.role, access)
			);
		case "user_key":
			return mayCallByRole(principal.user.role, access) && access !== "admin_session" && access !== "session";
		case "session":
			if (principal.passwordDue && access !== "account" && access !== "own_account") return false;
			return mayCallByRole(principal.user.role, access);
	}
}

function mayCallByRole(role: string, access: AccessPolicy): boolean {
	switch (access) {
		case "admin":
		case "admin_session":
			return role === "ADMIN";
		case "write":
		case "ingest":
			return role === "ADMIN" || role === "MEMBER";
		default:
			return role === "ADMIN" || role === "MEMBER" || role === "VIEWER";
	}
}
