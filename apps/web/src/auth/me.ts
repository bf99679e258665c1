import { ApiError } from "@spanward/client";
import { config } from "../lib/config.ts";

export type Role = "ADMIN" | "MEMBER" | "VIEWER";

/** The person who is logged in. */
export interface Me {
	readonly id: string;
	readonly username: string;
	/** Absent for directory users without one. */
	readonly email: string | undefined;
	readonly role: Role;
	/** `LOCAL` users have a password here. */
	readonly authMethod: "LOCAL" | "OAUTH2" | "LDAP";
	/** Id of the provider that `OAUTH2` users sign in with; absent before the first time. */
	readonly provider: string | undefined;
	/** A new password has to be set before anything else. */
	readonly passwordNeedsReset: boolean;
	/** Address of the hosting's management pages, for those who may use them. */
	readonly managementUrl: string | undefined;
	readonly pictureUrl: string | undefined;
}

/** What a route may require of its caller, with the names of the server's access policies. */
export type Right = "read" | "write" | "admin" | "admin_session" | "session" | "own_account";

/**
 * Whether this person has a right; `me` is undefined while authentication is off, when everybody has all rights. Only for
 * hiding what would be refused: the server decides.
 */
export function may(me: Me | undefined, right: Right): boolean {
	if (me === undefined) return right === "read" || right === "write" || right === "admin";
	switch (right) {
		case "admin":
		case "admin_session":
			return me.role === "ADMIN";
		case "write":
			return me.role === "ADMIN" || me.role === "MEMBER";
		default:
			return true;
	}
}

/**
 * Asks the server whose session the cookies belong to.
 * @returns undefined when nobody is logged in
 * @throws ApiError on other answers, TypeError when there is none
 */
export async function fetchMe(request: typeof fetch, signal?: AbortSignal): Promise<Me | undefined> {
	const response = await request(`${config.basePath}/v1/user`, {
		headers: { accept: "application/json, application/problem+json" },
		...(signal === undefined ? {} : { signal }),
	});
	if (response.status === 401) return;
	if (!response.ok) throw new ApiError(response.status, `http_${response.status}`, await response.text());
	const { data } = (await response.json()) as { data: Readonly<Record<string, unknown>> };
	return data["auth_method"] === "ANONYMOUS" ? undefined : toMe(data);
}

function toMe(data: Readonly<Record<string, unknown>>): Me {
	const text = (name: string) => (typeof data[name] === "string" ? data[name] : undefined);
	const { role, auth_method: authMethod } = data;
	return {
		id: text("id") ?? "",
		username: text("username") ?? "",
		email: text("email"),
		// Unknown roles are only offered what viewers may do.
		role: role === "ADMIN" || role === "MEMBER" ? role : "VIEWER",
		authMethod: authMethod === "OAUTH2" || authMethod === "LDAP" ? authMethod : "LOCAL",
		provider: text("oauth2_provider"),
		passwordNeedsReset: data["password_needs_reset"] === true,
		managementUrl: webAddress(text("management_url")),
		pictureUrl: webAddress(text("profile_picture_url")),
	};
}

/** An http or https address; undefined for other schemes, such as `javascript:`. */
function webAddress(text: string | undefined): string | undefined {
	return text !== undefined && /^https?:\/\//i.test(text) ? text : undefined;
}
