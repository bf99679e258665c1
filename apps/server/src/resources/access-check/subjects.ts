import type { Kysely } from "kysely";
import { findGrant } from "#access/auth/principals/find-principals.ts";
import { KEY_LIMIT_COLUMNS, toKeyLimits } from "#access/auth/principals/key-limits.ts";
import type { CheckedKey } from "#access/rights/explain.ts";
import type { RightsSubject } from "#access/rights/reasons.ts";
import { teamsOf } from "#access/rights/rights-reader.ts";
import { subjectOf } from "#access/subjects/subject-of.ts";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { isKey, type KeyPermission, type Principal } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";

/** Of whom it is asked what they may do. */
export interface CheckedSubject {
	readonly type: "user" | "team" | "api_key" | "oauth2_grant";
	/** Global id. */
	readonly id: string;
	readonly name: string;
	/** By whose role and grants it is decided: of a team, those of a MEMBER with no other team. */
	readonly rights: RightsSubject;
	/** The name of that person; undefined for a team. */
	readonly person: string | undefined;
	readonly key: (CheckedKey & { readonly permissions: readonly KeyPermission[] | undefined }) | undefined;
	/** Microseconds since 1970. */
	readonly lastUsedAt: number | null;
}

const FORM = /^(user|team|api_key|oauth2_grant):(.{1,200})$/;

/** The subject that a request names; undefined when it does not exist. @throws UserError 422 */
export async function findSubject(db: Kysely<Tables>, text: string, now: number): Promise<CheckedSubject | undefined> {
	const [, type, id = ""] = FORM.exec(text) ?? [];
	return type === "user"
		? await findUser(db, decodeGlobalId(id, "User"))
		: type === "team"
			? await findTeam(db, decodeGlobalId(id, "Team"))
			: type === "api_key"
				? await findKey(db, decodeGlobalId(id, "UserApiKey") ?? decodeGlobalId(id, "SystemApiKey"), now)
				: type === "oauth2_grant"
					? await findProgram(db, decodeGlobalId(id, "OAuth2Grant"), now)
					: invalidSubject();
}

export function subjectNotFound(): UserError {
	return notFound("subject_not_found", "There is no such user, team, key or authorization, or not for you.");
}

function invalidSubject(): never {
	throw new UserError(422, "invalid_subject", "A subject is user:<id>, team:<id>, api_key:<id> or oauth2_grant:<id>.");
}

/** Whether it is the caller, or a key or program of theirs. */
export function isOwn({ rights, type, id }: CheckedSubject, principal: Principal): boolean {
	if (principal.kind === "anonymous") return false;
	if (isKey(principal) && type === "api_key") {
		const own = encodeGlobalId(principal.kind === "user_key" ? "UserApiKey" : "SystemApiKey", principal.keyId);
		if (own === id) return true;
	}
	if (principal.kind === "oauth_token" && type === "oauth2_grant") {
		if (encodeGlobalId("OAuth2Grant", principal.grantId) === id) return true;
	}
	return type !== "team" && rights.role !== "SYSTEM" && rights.userId === principal.user.id;
}

/** The caller: their account, or the key or token that they send; the admin secret is nobody's, and may what an ADMIN may. */
export async function findSelf(db: Kysely<Tables>, principal: Principal, now: number): Promise<CheckedSubject> {
	const found = isKey(principal)
		? await findKey(db, principal.keyId, now)
		: principal.kind === "oauth_token"
			? await findProgram(db, principal.grantId, now)
			: principal.kind === "anonymous"
				? undefined
				: await findUser(db, principal.user.id);
	if (found === undefined) throw subjectNotFound();
	if (principal.kind !== "admin_secret") return found;
	return { ...found, rights: await subjectOf(db, principal), person: "The admin secret" };
}

async function findUser(db: Kysely<Tables>, id: number | undefined): Promise<CheckedSubject | undefined> {
	const user = await db
		.selectFrom("users")
		.select(["id", "username", "role"])
		.where("id", "=", id ?? 0)
		.executeTakeFirst();
	if (user === undefined) return undefined;
	return {
		type: "user",
		id: encodeGlobalId("User", user.id),
		name: user.username,
		rights: { userId: user.id, role: user.role, teamIds: await teamsOf(db, user.id) },
		...{ person: user.username, key: undefined, lastUsedAt: null },
	};
}

async function findTeam(db: Kysely<Tables>, id: number | undefined): Promise<CheckedSubject | undefined> {
	const team = await db
		.selectFrom("teams")
		.select(["id", "name"])
		.where("id", "=", id ?? 0)
		.executeTakeFirst();
	if (team === undefined) return undefined;
	return {
		type: "team",
		id: encodeGlobalId("Team", team.id),
		name: team.name,
		rights: { userId: 0, role: "MEMBER", teamIds: new Set([team.id]) },
		...{ person: undefined, key: undefined, lastUsedAt: null },
	};
}

async function findKey(db: Kysely<Tables>, id: number | undefined, now: number): Promise<CheckedSubject | undefined> {
	const row = await db
		.selectFrom("api_keys")
		.innerJoin("users", "users.id", "api_keys.user_id")
		.select([...KEY_LIMIT_COLUMNS, "kind", "name", "expires_at_ms", "last_used_at"])
		.select(["users.id as user_id", "users.username", "users.role"])
		.where("api_keys.id", "=", id ?? 0)
		.executeTakeFirst();
	if (row === undefined) return undefined;
	const limits = await toKeyLimits(db, row);
	const { permissions } = limits;
	return {
		type: "api_key",
		id: encodeGlobalId(row.kind === "user" ? "UserApiKey" : "SystemApiKey", row.id),
		name: row.name,
		rights: { userId: row.user_id, role: row.role, teamIds: await teamsOf(db, row.user_id) },
		person: row.username,
		key: {
			limits,
			hasEnded: row.expires_at_ms !== null && row.expires_at_ms * 1_000 <= now,
			permissions: permissions === undefined ? undefined : [...permissions],
		},
		lastUsedAt: row.last_used_at,
	};
}

async function findProgram(
	db: Kysely<Tables>,
	id: number | undefined,
	now: number,
): Promise<CheckedSubject | undefined> {
	const found = id === undefined ? undefined : await findGrant(db, { id });
	if (found === undefined) return undefined;
	const { user, client, limits, admin, expiresAt } = found.principal;
	return {
		type: "oauth2_grant",
		id: encodeGlobalId("OAuth2Grant", found.principal.grantId),
		name: client.name,
		rights: { userId: user.id, role: user.role, teamIds: await teamsOf(db, user.id) },
		person: user.username,
		key: {
			limits,
			hasEnded: expiresAt <= now,
			mayManage: admin,
			permissions: limits.permissions === undefined ? undefined : [...limits.permissions],
		},
		lastUsedAt: found.lastUsedAt,
	};
}
