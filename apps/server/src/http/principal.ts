import type { IpRanges } from "#base/ip-ranges.ts";
import type { UserRole } from "#base/roles.ts";
import type { AuthMethod } from "#storage/schema.ts";

export const KEY_PERMISSIONS = ["read", "ingest", "annotate", "write"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** The only homes that a key reaches: projects, by row number, and the library. */
export interface KeyHomes {
	readonly projectIds: ReadonlySet<number>;
	readonly library: boolean;
}

/** What a key may less than its owner. Absent members limit nothing. */
export interface KeyLimits {
	/** Never empty; `write` stands for `annotate` and `ingest`, too. */
	readonly permissions?: ReadonlySet<KeyPermission>;
	readonly homes?: KeyHomes;
	/** Where requests may come from. */
	readonly ipRanges?: IpRanges;
	/** Origins of web pages that may send exports, as `bareOrigin` spells them. */
	readonly allowedOrigins?: ReadonlySet<string>;
	/** At each server. */
	readonly requestsPerMinute?: number;
	/** Of a day in UTC, at all servers together. */
	readonly spansPerDay?: number;
}

/** A key of a user, with the user's current role, or of the system. */
export interface KeyPrincipal {
	readonly kind: "user_key" | "system_key";
	readonly user: PrincipalUser;
	readonly keyId: number;
	readonly expiresAt: number | null;
	readonly limits: KeyLimits;
}

/** What a token is for; it is unknown elsewhere. */
export type Audience = "api" | "mcp";

/** An access token of a program that a user let in, with the user's current role. */
export interface TokenPrincipal {
	readonly kind: "oauth_token";
	readonly user: PrincipalUser;
	readonly grantId: number;
	readonly client: { readonly clientId: string; readonly name: string };
	/** End of the authorization, microseconds since 1970. */
	readonly grantExpiresAt: number;
	readonly audience: Audience;
	/** Whether the user, an admin, let the program do what only admins may. */
	readonly admin: boolean;
	/** End of the access token, microseconds since 1970. */
	readonly expiresAt: number;
	/** Permissions and homes, nothing else. */
	readonly limits: KeyLimits;
}

/** The user on whose behalf a request comes. */
export interface PrincipalUser {
	readonly id: number;
	readonly username: string;
	/** Null for LDAP users without one. */
	readonly email: string | null;
	/** Read with the row at each request, never from a token. */
	readonly role: UserRole;
	readonly authMethod: AuthMethod;
}

/**
 * Who sends a request, proved by its credentials.
 *
 * - `anonymous`: authentication is off; everybody may do what an admin may, except what would last beyond that
 * - `session`: a person who logged in
 * - `user_key`: a key with its owner's current role
 * - `system_key`: a key of the system; as a member
 * - `oauth_token`: a program that a user let in; what they let it do, with their current role
 * - `run`: a bulk run, which goes on after its request, as the user who started it, with the role of now
 * - `admin_secret`: `SERVICE_ADMIN_SECRET`; the first system user with an admin's rights
 */
export type Principal =
	| { readonly kind: "anonymous" }
	| SessionPrincipal
	| KeyPrincipal
	| TokenPrincipal
	| { readonly kind: "run" | "admin_secret"; readonly user: PrincipalUser };

/** A person who logged in. */
export interface SessionPrincipal {
	readonly kind: "session";
	readonly user: PrincipalUser;
	/** Row number of the log-in session. */
	readonly sessionId: number;
	/** The user has to set a new password before anything else; false where the server leaves that to the UI. */
	readonly passwordDue: boolean;
	/** End of the access token, microseconds since 1970. */
	readonly expiresAt: number;
}

/** The user behind a principal; undefined while authentication is off. */
export function userOf(principal: Principal): PrincipalUser | undefined {
	return principal.kind === "anonymous" ? undefined : principal.user;
}

/** Whether the principal is a person with a user's account, rather than the system. */
export function isPerson(principal: Principal): boolean {
	return principal.kind === "session" || isOfUser(principal);
}

/** Whether a user has given this to a program: a key of theirs or a token. */
function isOfUser(principal: Principal): principal is KeyPrincipal | TokenPrincipal {
	return principal.kind === "user_key" || principal.kind === "oauth_token";
}

export function isKey(principal: Principal): principal is KeyPrincipal {
	return principal.kind === "user_key" || principal.kind === "system_key";
}

/** Whether this can do less than its user: a key with permissions or homes, or a token without administration. */
export function isLimited(principal: Principal): principal is KeyPrincipal | TokenPrincipal {
	if (principal.kind === "oauth_token") return !principal.admin;
	return isKey(principal) && (principal.limits.permissions !== undefined || principal.limits.homes !== undefined);
}

/** Row number of a limited key, or of the grant of a token. */
export type LimitedSender = { readonly keyId: number } | { readonly grantId: number };

/** By what the rights of who sends something are looked at again later, if they can do less than their user. */
export function limitedSenderOf(principal: Principal): LimitedSender | undefined {
	if (principal.kind === "oauth_token") return { grantId: principal.grantId };
	return isKey(principal) && isLimited(principal) ? { keyId: principal.keyId } : undefined;
}

/** The only homes that the principal reaches; undefined for all that its user sees. */
export function homesOf(principal: Principal): KeyHomes | undefined {
	return "limits" in principal ? principal.limits.homes : undefined;
}

/** The user who becomes manager of the projects that a principal makes; null for nobody, as of the system. */
export function makerOf(principal: Principal): number | null {
	return principal.kind === "session" || isOfUser(principal) ? principal.user.id : null;
}

/** Identifies the caller: a user with all sessions, keys and programs, or a system key. */
export function callerOf(principal: Principal): string {
	switch (principal.kind) {
		case "anonymous":
		case "admin_secret":
			return principal.kind;
		case "system_key":
			return `key ${principal.keyId}`;
		case "session":
		case "user_key":
		case "oauth_token":
		case "run":
			return `user ${principal.user.id}`;
	}
}
