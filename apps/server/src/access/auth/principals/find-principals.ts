import type { Kysely } from "kysely";
import type {
	KeyPrincipal,
	LimitedSender,
	Principal,
	PrincipalUser,
	SessionPrincipal,
	TokenPrincipal,
} from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import type { NamedApiKey } from "./api-key.ts";
import { grantLimits, KEY_LIMIT_COLUMNS, toKeyLimits } from "./key-limits.ts";

const USER_COLUMNS = [
	"users.id as user_id",
	"users.username",
	"users.email",
	"users.role",
	"users.auth_method",
	"users.password_due",
] as const;

/** A key with its owner as both are now. */
export interface FoundKey {
	readonly principal: KeyPrincipal;
	readonly secretHash: Uint8Array;
	readonly lastUsedAt: number | null;
}

export async function findKey(
	db: Kysely<Tables>,
	by: NamedApiKey | { readonly id: number },
): Promise<FoundKey | undefined> {
	let query = db
		.selectFrom("api_keys")
		.innerJoin("users", "users.id", "api_keys.user_id")
		.select([...USER_COLUMNS, ...KEY_LIMIT_COLUMNS, "kind", "secret_hash", "expires_at_ms", "last_used_at"])
		.where((where) => ("id" in by ? where("api_keys.id", "=", by.id) : where("public_id", "=", by.publicId)));
	if ("kind" in by) query = query.where("kind", "=", by.kind);
	const row = await query.executeTakeFirst();
	if (row === undefined) return undefined;
	return {
		principal: {
			kind: row.kind === "user" ? "user_key" : "system_key",
			user: toUser(row),
			keyId: row.id,
			expiresAt: row.expires_at_ms === null ? null : row.expires_at_ms * 1_000,
			limits: await toKeyLimits(db, row),
		},
		secretHash: row.secret_hash,
		lastUsedAt: row.last_used_at,
	};
}

/** What a program may, as long as its grant lasts, with the user as both are now. */
export interface FoundGrant {
	/** Until the grant ends. */
	readonly principal: TokenPrincipal;
	readonly lastUsedAt: number | null;
}

/** @param by the SHA-256 of an access token, or the row number of a grant; undefined also where the client is disabled */
export async function findGrant(
	db: Kysely<Tables>,
	by: { readonly token: Uint8Array } | { readonly id: number },
): Promise<FoundGrant | undefined> {
	const grants = db
		.selectFrom("oauth2_grants as grant")
		.innerJoin("oauth2_clients as client", "client.id", "grant.client_id")
		.innerJoin("users", "users.id", "grant.user_id")
		.select([...USER_COLUMNS, "grant.id", "grant.permissions", "grant.has_homes", "grant.include_library"])
		.select(["grant.resource", "grant.last_used_at", "client.public_id", "client.name"])
		.select("grant.expires_at as grant_expires_at")
		.where("client.disabled", "=", 0);
	const row =
		"id" in by
			? await grants.select("grant.expires_at").where("grant.id", "=", by.id).executeTakeFirst()
			: await grants
					.innerJoin("oauth2_access_tokens as token", "token.grant_id", "grant.id")
					.select("token.expires_at")
					.where("token.hash", "=", by.token)
					.executeTakeFirst();
	if (row === undefined) return undefined;
	return {
		principal: {
			kind: "oauth_token",
			user: toUser(row),
			grantId: row.id,
			client: { clientId: row.public_id, name: row.name },
			grantExpiresAt: row.grant_expires_at,
			audience: row.resource,
			expiresAt: row.expires_at,
			...(await grantLimits(db, row)),
		},
		lastUsedAt: row.last_used_at,
	};
}

/** A limited key or a program as it is now; undefined when it is gone or has expired. */
export async function findLimitedSender(
	db: Kysely<Tables>,
	sender: LimitedSender,
	now: number,
): Promise<KeyPrincipal | TokenPrincipal | undefined> {
	const found =
		"grantId" in sender ? await findGrant(db, { id: sender.grantId }) : await findKey(db, { id: sender.keyId });
	const end = found?.principal.expiresAt ?? null;
	return end !== null && end <= now ? undefined : found?.principal;
}

/** A log-in session with its user as both are now. */
export interface FoundSession {
	readonly id: number;
	readonly user: PrincipalUser;
	/** For users who log in with a provider. */
	readonly oauth2Provider: string | null;
	readonly passwordDue: boolean;
	readonly accessJti: string;
	/** Ends of the access token, of the refresh token and of the session, microseconds since 1970. */
	readonly accessExpiresAt: number;
	readonly refreshExpiresAt: number;
	readonly expiresAt: number;
	readonly pairPresented: boolean;
	readonly lastUsedAt: number;
}

export async function findSession(
	db: Kysely<Tables>,
	by: { readonly sid: string } | { readonly id: number },
): Promise<FoundSession | undefined> {
	const row = await db
		.selectFrom("login_sessions as session")
		.innerJoin("users", "users.id", "session.user_id")
		.select([
			...USER_COLUMNS,
			"users.oauth2_provider",
			"session.id",
			"access_jti",
			"access_expires_at",
			"refresh_expires_at",
			"session.expires_at",
			"pair_presented",
			"last_used_at",
		])
		.where((where) => ("id" in by ? where("session.id", "=", by.id) : where("sid", "=", by.sid)))
		.executeTakeFirst();
	if (row === undefined) return undefined;
	return {
		id: row.id,
		user: toUser(row),
		oauth2Provider: row.oauth2_provider,
		passwordDue: row.password_due === 1,
		accessJti: row.access_jti,
		accessExpiresAt: row.access_expires_at,
		refreshExpiresAt: row.refresh_expires_at,
		expiresAt: row.expires_at,
		pairPresented: row.pair_presented === 1,
		lastUsedAt: row.last_used_at,
	};
}

/** Who sends a request with a token of this session. */
export function toSessionPrincipal(session: FoundSession): SessionPrincipal {
	const { id: sessionId, user, passwordDue, accessExpiresAt: expiresAt } = session;
	return { kind: "session", user, sessionId, passwordDue, expiresAt };
}

/**
 * The current principal: its session or key read again by row number, with the user's present role; undefined when it
 * is gone. An access token that was replaced meanwhile does not end its session or grant.
 */
export async function findCurrent(
	db: Kysely<Tables>,
	principal: Principal,
	now: number,
): Promise<Principal | undefined> {
	switch (principal.kind) {
		case "anonymous":
		case "admin_secret":
			return principal;
		case "run": {
			const user = await findUser(db, principal.user.id);
			return user === undefined ? undefined : { kind: "run", user };
		}
		case "session": {
			const found = await findSession(db, { id: principal.sessionId });
			if (found === undefined || found.refreshExpiresAt <= now) return undefined;
			return { ...principal, user: found.user };
		}
		// What a program began goes on when its access token is replaced.
		default:
			return await findLimitedSender(db, principal, now);
	}
}

export async function findUser(db: Kysely<Tables>, id: number): Promise<PrincipalUser | undefined> {
	const row = await db.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).executeTakeFirst();
	return row === undefined ? undefined : toUser(row);
}

/** The first user with the system role, as whom the admin secret acts. */
export async function findSystemUser(db: Kysely<Tables>): Promise<PrincipalUser | undefined> {
	const row = await db
		.selectFrom("users")
		.select(USER_COLUMNS)
		.where("role", "=", "SYSTEM")
		.orderBy("id")
		.limit(1)
		.executeTakeFirst();
	return row === undefined ? undefined : toUser(row);
}

type UserColumns = Pick<Tables["users"], "username" | "email" | "role" | "auth_method"> & { user_id: number };

function toUser(row: UserColumns): PrincipalUser {
	return { id: row.user_id, username: row.username, email: row.email, role: row.role, authMethod: row.auth_method };
}
