import { notFound, UserError } from "#base/errors.ts";
import type { ProblemCode } from "#base/problems.ts";
import type { AccessPolicy } from "#http/access-policy.ts";
import { isKey, type KeyPermission, type Principal } from "#http/principal.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { lackOf } from "./may-call.ts";

/** Why there is no principal. */
export type Refusal = "missing" | "invalid" | "expired" | "ambiguous" | "audience" | "address";

const UNAUTHORIZED: Readonly<Record<Exclude<Refusal, "address">, readonly [code: ProblemCode, message: string]>> = {
	missing: ["missing_token", "This needs credentials: log in, or send an API key as Authorization: Bearer <key>."],
	invalid: [
		"invalid_token",
		"The credentials are not valid. Send a complete key as Authorization: Bearer <key>; it must not have been deleted. If your session ended, log in again.",
	],
	expired: ["expired_token", "The credentials have expired. Log in again, or use another key."],
	audience: ["invalid_token", "Token is not valid for this resource."],
	ambiguous: [
		"ambiguous_cookies",
		"Your browser sent two session cookies with the same name; delete the cookies of this site and log in again.",
	],
};

/** The answer to a request without valid credentials, or with a key that is not valid where it comes from. */
export function unauthorized(refusal: Refusal): UserError {
	if (refusal === "address") {
		return refuse("key_address_not_allowed", "This key must not be used from your address; see ip_ranges of the key.");
	}
	const [code, message] = UNAUTHORIZED[refusal];
	return new UserError(401, code, message);
}

/** The answer to a principal that may not do what it asks for, saying who may. */
export function forbidden(principal: Principal, access: AccessPolicy, mints: boolean): UserError {
	if (principal.kind === "session" && principal.passwordDue) {
		return refuse("password_reset_required", "Set a new password first; until then, nothing else is possible.");
	}
	const lack = "limits" in principal ? lackOf(principal, access) : undefined;
	if (principal.kind === "oauth_token" && lack !== undefined) {
		return lack === "no_limits" ? notForPrograms(mints) : insufficientScope(lack);
	}
	if (lack !== undefined && lack !== "admin") return lack === "no_limits" ? keyLimited() : permissionMissing(lack);
	switch (access) {
		case "session":
		case "own_account":
		case "keys":
			return notForSystem(principal, mints);
		case "admin_session":
			if (isKey(principal) && mints) return mintedByKey();
			return refuse("admin_only", "Only admins may do this, logged in or with the admin secret.");
		case "admin":
			return principal.kind === "system_key"
				? refuse("admin_only", "A system key has the rights of a member; this requires an admin, or the admin secret.")
				: refuse("admin_only", "Only admins may do this.");
		default:
			return refuse("viewer_read_only", "Viewers may only read; this requires the role member or admin.");
	}
}

function notForSystem(principal: Principal, mints: boolean): UserError {
	if (principal.kind === "admin_secret" || principal.kind === "system_key") {
		return refuse("not_a_person", "This concerns a user's own account, and the system has none: log in as a user.");
	}
	if (mints) return mintedByKey();
	return refuse("key_not_enough", "An API key is not enough for this: log in.");
}

/** A key with permissions or homes asks for what no permission gives. */
export function keyLimited(): UserError {
	return refuse("key_limited", "A key or program that is limited to permissions or projects cannot do this.");
}

function permissionMissing(scope: KeyPermission): UserError {
	return new UserError(403, "key_permission_missing", `This key needs the permission ${scope} for this.`, {
		details: { scope },
	});
}

/** RFC 6750, 3.1: whoever has the permission may give it to the program in another authorization. */
function insufficientScope(scope: KeyPermission | "admin"): UserError {
	const needed = scope === "admin" ? "administration" : `the permission ${scope}`;
	return new UserError(403, "insufficient_scope", `This program was not given ${needed}: authorize it again.`, {
		details: { scope },
	});
}

function notForPrograms(mints: boolean): UserError {
	if (mints) return refuse("token_cannot_mint", "A program cannot create API keys: log in to create one.");
	return refuse("token_not_enough", "A program cannot do this, whatever it was given: log in.");
}

/** A leaked key must not survive its end through keys that it made. */
function mintedByKey(): UserError {
	return refuse("api_key_cannot_mint", "API keys cannot create API keys: log in to create one.");
}

/** The answer to who sees a project, or the library, and may not do there what was asked for. */
export function roleNeeded(own: ProjectRole | undefined, needed: ProjectRole): UserError {
	const message = `This needs the role ${needed} here, and yours is ${own ?? "none"}: ask a manager, or an admin.`;
	return new UserError(403, "project_role_needed", message, { details: { needed, own: own ?? null } });
}

/** The answer to a member who would make a project, where only admins may. */
export function membersCreateNoProjects(): UserError {
	return refuse("members_create_no_projects", "Members may not create projects here: ask an admin to create it.");
}

/** The answer when what a request is about was hidden from its sender while it ran. */
export function accessEnded(): UserError {
	return notFound("access_ended", "What this is about does not exist any more, or not for you.");
}

/** The answer when some of what was read of many homes may have been hidden from its reader meanwhile. */
export function rightsChanged(): UserError {
	const message = "What you may see was changed while this was read: ask again.";
	return new UserError(503, "rights_changed", message, { retryAfter: 1 });
}

function refuse(code: ProblemCode, message: string): UserError {
	return new UserError(403, code, message);
}
