import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { AuditTarget } from "../auth/audit.ts";
import { parseList } from "../auth/principals/key-limits.ts";
import type { Approval } from "./approval.ts";
import { preciseNow } from "./precise-now.ts";
import { SCOPES, type Scope } from "./scopes.ts";
import { hashToken, mintAccessToken, mintRefreshToken, type RefreshToken } from "./tokens.ts";

/** Authorizations that a user may have at once. */
export const MAX_GRANTS = 100;
/** Access tokens that an authorization has at once: a program that renews them all the time fills no table. */
const MAX_ACCESS_TOKENS = 20;

export type GrantRow = Selectable<Tables["oauth2_grants"]>;

/** The tokens of a grant, shown once. */
export interface IssuedTokens {
	readonly grant: GrantRow;
	readonly accessToken: string;
	readonly refreshToken: string;
	/** Microseconds since 1970. */
	readonly accessExpiresAt: number;
}

interface Lives {
	/** Of an access token, microseconds. */
	readonly accessMicros: number;
	readonly now: number;
}

/** Makes the grant of a code, with its first tokens. Projects that were deleted meanwhile are left out. */
export async function insertGrant(
	transaction: Transaction<Tables>,
	{ userId, clientId, approval }: { readonly userId: number; readonly clientId: number; readonly approval: Approval },
	lives: Lives,
): Promise<IssuedTokens> {
	const refresh = mintRefreshToken();
	const grant = await transaction
		.insertInto("oauth2_grants")
		.values({
			user_id: userId,
			client_id: clientId,
			permissions: approval.permissions === null ? null : JSON.stringify(approval.permissions),
			has_homes: approval.projectIds === null ? 0 : 1,
			include_library: approval.includeLibrary ? 1 : 0,
			scope_stated: approval.scopeStated ? 1 : 0,
			resource: approval.audience,
			refresh_family_hash: hashToken(refresh.family),
			refresh_hash: hashToken(refresh.token),
			refreshed_at: preciseNow(),
			created_at: lives.now,
			expires_at: approval.grantExpiresAt,
			last_used_at: null,
			last_used_ip: null,
		})
		.returningAll()
		.executeTakeFirstOrThrow();
	if (approval.projectIds !== null && approval.projectIds.length > 0) {
		await transaction
			.insertInto("oauth2_grant_projects")
			.columns(["grant_id", "project_id"])
			.expression((from) =>
				from
					.selectFrom("projects")
					.select(({ val }) => [val(grant.id).as("grant_id"), "projects.id as project_id"])
					.where("projects.id", "in", approval.projectIds ?? []),
			)
			.execute();
	}
	return await issue(transaction, grant, refresh, lives);
}

/**
 * Puts new tokens in the place of a refresh token.
 * @returns undefined when it is spent
 */
export async function rotate(
	transaction: Transaction<Tables>,
	grant: GrantRow,
	sent: { readonly token: string; readonly family: string },
	lives: Lives,
): Promise<IssuedTokens | undefined> {
	const next = mintRefreshToken(sent.family);
	const { numUpdatedRows } = await transaction
		.updateTable("oauth2_grants")
		.set({ refresh_hash: hashToken(next.token), refreshed_at: preciseNow() })
		.where("id", "=", grant.id)
		.where("refresh_hash", "=", hashToken(sent.token))
		.executeTakeFirst();
	return numUpdatedRows === 1n ? await issue(transaction, grant, next, lives) : undefined;
}

async function issue(
	transaction: Transaction<Tables>,
	grant: GrantRow,
	refresh: RefreshToken,
	{ accessMicros, now }: Lives,
): Promise<IssuedTokens> {
	const accessToken = mintAccessToken();
	const accessExpiresAt = Math.min(now + accessMicros, grant.expires_at);
	await transaction
		.deleteFrom("oauth2_access_tokens")
		.where("grant_id", "=", grant.id)
		.where(({ eb, or, selectFrom }) =>
			or([
				eb("expires_at", "<=", now),
				eb(
					"id",
					"<=",
					selectFrom("oauth2_access_tokens")
						.select("id")
						.where("grant_id", "=", grant.id)
						.orderBy("id", "desc")
						.offset(MAX_ACCESS_TOKENS - 1)
						.limit(1),
				),
			]),
		)
		.execute();
	await transaction
		.insertInto("oauth2_access_tokens")
		.values({ hash: hashToken(accessToken), grant_id: grant.id, expires_at: accessExpiresAt })
		.execute();
	await transaction
		.updateTable("oauth2_clients")
		.set({ last_used_at: now })
		.where("id", "=", grant.client_id)
		.execute();
	return { grant, accessToken, refreshToken: refresh.token, accessExpiresAt };
}

/** The grant that a refresh token belongs to, spent or not. */
export async function findGrantOfRefreshToken(
	db: Kysely<Tables>,
	family: string,
): Promise<(GrantRow & { readonly client: string; readonly client_disabled: 0 | 1 }) | undefined> {
	return await db
		.selectFrom("oauth2_grants")
		.innerJoin("oauth2_clients", "oauth2_clients.id", "oauth2_grants.client_id")
		.selectAll("oauth2_grants")
		.select(["oauth2_clients.public_id as client", "oauth2_clients.disabled as client_disabled"])
		.where("refresh_family_hash", "=", hashToken(family))
		.executeTakeFirst();
}

/** The grant that an access token belongs to, also where its client is disabled. */
export async function findGrantOfAccessToken(
	db: Kysely<Tables>,
	token: string,
): Promise<{ readonly id: number; readonly client: string } | undefined> {
	return await db
		.selectFrom("oauth2_access_tokens as token")
		.innerJoin("oauth2_grants as grant", "grant.id", "token.grant_id")
		.innerJoin("oauth2_clients as client", "client.id", "grant.client_id")
		.select(["grant.id", "client.public_id as client"])
		.where("token.hash", "=", hashToken(token))
		.executeTakeFirst();
}

/** A grant that has ended, as the audit log says it. */
export interface EndedGrant {
	readonly id: number;
	readonly user_id: number;
	readonly clientName: string;
}

/** Ends grants: their tokens and codes go with them. The caller tells the audit log, and `principals.invalidate()`. */
export async function endGrant(transaction: Transaction<Tables>, id: number): Promise<EndedGrant | undefined> {
	const found = await transaction
		.selectFrom("oauth2_grants")
		.innerJoin("oauth2_clients", "oauth2_clients.id", "oauth2_grants.client_id")
		.select(["oauth2_grants.id", "oauth2_grants.user_id", "oauth2_clients.name as clientName"])
		.where("oauth2_grants.id", "=", id)
		.executeTakeFirst();
	if (found === undefined) return undefined;
	const { numDeletedRows } = await transaction.deleteFrom("oauth2_grants").where("id", "=", id).executeTakeFirst();
	return numDeletedRows === 1n ? found : undefined;
}

/** What a grant permits, as scopes; null for all but administration. */
export function scopesOf({ permissions }: Pick<GrantRow, "permissions">): readonly Scope[] | null {
	if (permissions === null) return null;
	const stored = parseList(permissions);
	return SCOPES.filter((scope) => stored.includes(scope));
}

/** A grant as the audit log names it: by its client. */
export function grantTarget({ id, clientName: name }: Pick<EndedGrant, "id" | "clientName">): AuditTarget {
	return { type: "oauth2_grant", id, name };
}
