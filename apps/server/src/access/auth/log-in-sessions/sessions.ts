import { randomBytes } from "node:crypto";
import { type Selectable, sql, type Transaction } from "kysely";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { Database } from "#storage/database.ts";
import type { AuthMethod, Tables } from "#storage/schema.ts";
import { least } from "#storage/sql-pieces.ts";
import { unauthorized } from "../access-errors.ts";
import type { AuditLog, Origin } from "../audit.ts";
import { isOffered } from "../ways-to-log-in.ts";
import type { CookieToken } from "./cookies.ts";
import type { TokenClaims, Tokens } from "./tokens.ts";

/** A row of `login_sessions`. */
export type LogInSession = Selectable<Tables["login_sessions"]>;

export interface TokenPair {
	readonly access: CookieToken;
	readonly refresh: CookieToken;
}

type LoggedInUser = Pick<Tables["users"], "role" | "auth_method" | "oauth2_provider">;

interface Parts {
	readonly config: Config;
	readonly db: Database;
	readonly tokens: Tokens;
	readonly audit: AuditLog;
	readonly now: () => number;
}

type Rotation =
	| { readonly session: LogInSession }
	| { readonly refused: "invalid" | "expired" }
	| { readonly waitMicros: number };

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const DEFAULT_MAX_DAYS = 30;
/** Longer than anybody wants, while its end is still a safe integer. */
const LONGEST = 36_500 * DAY;
/** How long the refresh token before the live one still fetches the live pair, as that answer may have been lost. */
const GRACE = 10 * SECOND;
/** A session refreshes 12 times at once, then every 5 seconds. */
const REFRESH_BURST = 12;
const REFRESH_EVERY = 5 * SECOND;
const ID_BYTES = 24;
const MAX_USER_AGENT = 256;

/** Opens log-in sessions and gives them tokens. The rows decide: a token counts as long as its row names it. */
export class Sessions {
	readonly #parts: Parts;
	readonly #accessLife: number;
	readonly #refreshLife: number;
	readonly #sessionLife: number;

	constructor(parts: Parts) {
		const { config } = parts;
		this.#parts = parts;
		this.#accessLife = config.SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES * MINUTE;
		this.#refreshLife = config.SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES * MINUTE;
		const life =
			config.SERVICE_SESSION_MAX_DAYS === null
				? Math.max(DEFAULT_MAX_DAYS * DAY, this.#refreshLife)
				: config.SERVICE_SESSION_MAX_DAYS * DAY;
		this.#sessionLife = Math.min(life, LONGEST);
	}

	/**
	 * Opens a session, whatever the browser had before: every way of logging in ends here.
	 * @param method how the user just proved to be who they are
	 * @throws UserError 401 when the user is gone, 403 when they may not log in this way
	 */
	async open(
		transaction: Transaction<Tables>,
		userId: number,
		method: AuthMethod,
		from: Origin,
	): Promise<LogInSession> {
		const now = this.#parts.now();
		const user = await transaction
			.selectFrom("users")
			.select(["role", "auth_method", "oauth2_provider"])
			.where("id", "=", userId)
			.executeTakeFirst();
		if (user === undefined) throw new UserError(401, "invalid_login", "This account no longer exists.");
		this.#checkMayLogIn(user, method);
		await transaction.deleteFrom("login_sessions").where("refresh_expires_at", "<=", now).execute();
		await transaction.updateTable("users").set({ last_login_at: now }).where("id", "=", userId).execute();
		const endsAt = Math.round(now + this.#sessionLife);
		return await transaction
			.insertInto("login_sessions")
			.values({
				sid: newId(),
				user_id: userId,
				created_at: now,
				last_used_at: now,
				expires_at: endsAt,
				...this.#newPair(now, endsAt),
				previous_refresh_jti: null,
				rotated_at: null,
				pair_presented: 1,
				refresh_full_at: now,
				ip: from.ip,
				user_agent: (from.headers["user-agent"] ?? "").slice(0, MAX_USER_AGENT),
			})
			.returningAll()
			.executeTakeFirstOrThrow();
	}

	/**
	 * A new pair for the refresh token in `token`, which is thereby spent. A token that was spent before ends the
	 * session, except the last one within its grace period, which fetches the live pair again.
	 * @param sent with the access token that came beside it: if it is of another session, one of them was planted
	 * @param afterCommit called when the session may have changed: not for a token that nobody here signed
	 * @throws UserError 401 for a token that does not count (any more), 429 for a session that refreshes too often
	 */
	async refresh(
		sent: { readonly token: string; readonly access?: string | undefined },
		from: Origin,
		afterCommit: () => void,
	): Promise<TokenPair> {
		const { tokens } = this.#parts;
		const claims = await tokens.verify("refresh", sent.token);
		if (typeof claims === "string") throw unauthorized(claims);
		const beside = sent.access === undefined ? undefined : await tokens.verify("access", sent.access);
		if (typeof beside === "object" && beside.sid !== claims.sid) throw unauthorized("invalid");
		const rotation = await this.#parts.db.write((transaction) => this.#rotate(transaction, claims, from));
		afterCommit();
		if ("refused" in rotation) throw unauthorized(rotation.refused);
		if ("waitMicros" in rotation) {
			throw new UserError(429, "too_many_requests", "This session was refreshed too often; wait and try again.", {
				retryAfter: Math.ceil(rotation.waitMicros / SECOND),
			});
		}
		return await this.pairOf(rotation.session);
	}

	/**
	 * Replaces a session, after its user has set a new password, by one with another number and id: with the old one
	 * end the requests and streams of anybody else who has its tokens, and a spent refresh token ends nothing more.
	 * @throws UserError 401 when the session was ended
	 */
	async renew(transaction: Transaction<Tables>, sessionId: number): Promise<LogInSession> {
		const { now } = this.#parts;
		const found = await transaction
			.deleteFrom("login_sessions")
			.where("id", "=", sessionId)
			.returningAll()
			.executeTakeFirst();
		if (found === undefined) throw unauthorized("invalid");
		const { id: _, ...session } = found;
		return await transaction
			.insertInto("login_sessions")
			.values({
				...session,
				...this.#newPair(now(), session.expires_at),
				sid: newId(),
				previous_refresh_jti: null,
				rotated_at: null,
				pair_presented: 1,
			})
			.returningAll()
			.executeTakeFirstOrThrow();
	}

	/** The live pair of a session, always the same tokens. */
	async pairOf(session: LogInSession): Promise<TokenPair> {
		const { tokens } = this.#parts;
		const { sid, user_id: userId, issued_at: issuedAt } = session;
		const access = { userId, sid, issuedAt, jti: session.access_jti, expiresAt: session.access_expires_at };
		const refresh = { userId, sid, issuedAt, jti: session.refresh_jti, expiresAt: session.refresh_expires_at };
		return {
			access: { token: await tokens.sign("access", access), expiresAt: access.expiresAt },
			refresh: { token: await tokens.sign("refresh", refresh), expiresAt: refresh.expiresAt },
		};
	}

	/** Ends the grace period of the refresh token before the live one: the live pair has arrived. */
	async notePresented(sessionId: number, accessJti: string): Promise<void> {
		await this.#parts.db.write((transaction) =>
			transaction
				.updateTable("login_sessions")
				.set({ pair_presented: 1 })
				.where("id", "=", sessionId)
				.where("access_jti", "=", accessJti)
				.execute(),
		);
	}

	/** Shortens, at the start, the lives of tokens and sessions that the settings now want shorter. */
	async applyLives(): Promise<void> {
		const access = sql.lit(Math.round(this.#accessLife));
		const refresh = sql.lit(Math.round(this.#refreshLife));
		const sessionLife = sql.lit(Math.round(this.#sessionLife));
		const end = least(sql`expires_at`, sql`created_at + ${sessionLife}`);
		const refreshEnd = least(sql`refresh_expires_at`, sql`issued_at + ${refresh}`, end);
		await this.#parts.db.write((transaction) =>
			transaction
				.updateTable("login_sessions")
				.set({
					expires_at: end,
					refresh_expires_at: refreshEnd,
					access_expires_at: least(sql`access_expires_at`, sql`issued_at + ${access}`, refreshEnd),
				})
				.execute(),
		);
	}

	/** Ends, at the start, the sessions of ways to log in that the settings no longer have. */
	async endRefused(): Promise<void> {
		const { config, db } = this.#parts;
		await db.write(async (transaction) => {
			const ways = await transaction
				.selectFrom("login_sessions")
				.innerJoin("users", "users.id", "login_sessions.user_id")
				.select(["auth_method", "oauth2_provider"])
				.distinct()
				.execute();
			for (const way of ways) {
				if (isOffered(way, config)) continue;
				await transaction
					.deleteFrom("login_sessions")
					.where("user_id", "in", (users) =>
						users
							.selectFrom("users")
							.select("id")
							.where("auth_method", "=", way.auth_method)
							.where("oauth2_provider", "is not distinct from", way.oauth2_provider),
					)
					.execute();
			}
		});
	}

	/** Whether a user may be logged in at all, as the settings are now. */
	mayBeLoggedIn(user: LoggedInUser): boolean {
		return user.role !== "SYSTEM" && isOffered(user, this.#parts.config);
	}

	#checkMayLogIn(user: LoggedInUser, method: AuthMethod): void {
		if (method === "LOCAL" && this.#parts.config.SERVICE_DISABLE_BASIC_AUTH) throw passwordsAreOff();
		if (user.auth_method !== method || !this.mayBeLoggedIn(user)) {
			throw new UserError(403, "log_in_refused", "This account cannot log in this way.");
		}
	}

	async #rotate(transaction: Transaction<Tables>, claims: TokenClaims, from: Origin): Promise<Rotation> {
		const now = this.#parts.now();
		const found = await transaction
			.selectFrom("login_sessions")
			.innerJoin("users", "users.id", "login_sessions.user_id")
			.selectAll("login_sessions")
			.select(["users.role", "users.auth_method", "users.oauth2_provider", "users.username"])
			.where("sid", "=", claims.sid ?? "")
			.where("user_id", "=", claims.userId)
			.executeTakeFirst();
		if (found === undefined) return { refused: "invalid" };
		const { role, auth_method, oauth2_provider, username, ...session } = found;
		if (!this.mayBeLoggedIn({ role, auth_method, oauth2_provider })) {
			await endSession(transaction, session.id);
			return { refused: "invalid" };
		}
		if (session.refresh_expires_at <= now) {
			await endSession(transaction, session.id);
			return { refused: "expired" };
		}
		if (claims.jti !== session.refresh_jti) {
			if (isInGrace(session, claims.jti, now)) return { session };
			await endSession(transaction, session.id);
			await this.#parts.audit.recordIn(transaction, {
				action: "session.reuse",
				outcome: "denied",
				code: "refresh_token_reused",
				target: { type: "session", id: session.id, name: username },
				request: from,
			});
			return { refused: "invalid" };
		}
		const fullAt = Math.max(session.refresh_full_at, now) + REFRESH_EVERY;
		const waitMicros = fullAt - now - REFRESH_BURST * REFRESH_EVERY;
		if (waitMicros > 0) return { waitMicros };
		return {
			session: await transaction
				.updateTable("login_sessions")
				.set({
					...this.#newPair(now, session.expires_at),
					previous_refresh_jti: session.refresh_jti,
					rotated_at: now,
					pair_presented: 0,
					refresh_full_at: fullAt,
					last_used_at: now,
				})
				.where("id", "=", session.id)
				.returningAll()
				.executeTakeFirstOrThrow(),
		};
	}

	/** Columns of a new pair, none of which outlives the session. */
	#newPair(now: number, endsAt: number) {
		const refreshEnd = Math.min(Math.round(now + this.#refreshLife), endsAt);
		return {
			issued_at: now,
			access_jti: newId(),
			access_expires_at: Math.min(Math.round(now + this.#accessLife), refreshEnd),
			refresh_jti: newId(),
			refresh_expires_at: refreshEnd,
		};
	}
}

/**
 * Ends every session of a user except `except`, in the transaction of the change that requires it. Call
 * `principals.invalidate()` after the commit and before the answer.
 */
export async function endSessions(
	transaction: Transaction<Tables>,
	userId: number,
	options: { readonly except?: number } = {},
): Promise<void> {
	let sessions = transaction.deleteFrom("login_sessions").where("user_id", "=", userId);
	if (options.except !== undefined) sessions = sessions.where("id", "<>", options.except);
	await sessions.execute();
}

/** Ends one session; false when it had ended already. `principals.invalidate()` as for {@link endSessions}. */
export async function endSession(transaction: Transaction<Tables>, sessionId: number): Promise<boolean> {
	const { numDeletedRows } = await transaction
		.deleteFrom("login_sessions")
		.where("id", "=", sessionId)
		.executeTakeFirstOrThrow();
	return numDeletedRows > 0n;
}

/** The answer to a password while `SERVICE_DISABLE_BASIC_AUTH` is on. */
export function passwordsAreOff(): UserError {
	return new UserError(403, "basic_auth_disabled", "Passwords are switched off here: log in with another method.");
}

function isInGrace(session: LogInSession, jti: string, now: number): boolean {
	return (
		jti === session.previous_refresh_jti &&
		session.rotated_at !== null &&
		now - session.rotated_at < GRACE &&
		session.pair_presented === 0
	);
}

function newId(): string {
	return randomBytes(ID_BYTES).toString("base64url");
}
