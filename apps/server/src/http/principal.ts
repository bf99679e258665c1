import type { UserRole } from "#base/roles.ts";
import type { AuthMethod } from "#storage/schema.ts";

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

/** The only homes that a key reaches. */
export interface KeyHomes {
	readonly projectIds: ReadonlySet<number>;
	readonly library: boolean;
}

/**
 * Who sends a request, proved by its credentials.
 *
 * - `anonymous`: authentication is off; everybody may do what an admin may, except what would last beyond that
 * - `session`: a person who logged in
 * - `user_key`: a key with its owner's current role
 * - `system_key`: a key of the system; as a member
 * - `run`: a bulk run, which goes on after its request, as the user who started it, with the role of now
 * - `admin_secret`: `SERVICE_ADMIN_SECRET`; the first system user with an admin's rights
 */
export type Principal =
	| { readonly kind: "anonymous" }
	| SessionPrincipal
	| {
			readonly kind: "user_key" | "system_key";
			readonly user: PrincipalUser;
			readonly keyId: number;
			readonly expiresAt: number | null;
			/** Undefined for what its owner sees. */
			readonly homes?: KeyHomes | undefined;
	  }
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
	return principal.kind === "session" || principal.kind === "user_key";
}

/** The user who becomes manager of the projects that a principal makes; null for nobody, as of the system. */
export function makerOf(principal: Principal): number | null {
	return principal.kind === "session" || principal.kind === "user_key" ? principal.user.id : null;
}

/** Identifies the caller: a user with all sessions and keys, or a system key. */
export function callerOf(principal: Principal): string {
	switch (principal.kind) {
		case "anonymous":
		case "admin_secret":
			return principal.kind;
		case "system_key":
			return `key ${principal.keyId}`;
		case "session":
		case "user_key":
		case "run":
			return `user ${principal.user.id}`;
	}
}
