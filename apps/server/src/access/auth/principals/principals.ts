import { timingSafeEqual } from "node:crypto";
import type { Config } from "#base/config.ts";
import { forgetOldest } from "#base/forget-oldest.ts";
import { isKey, type Principal } from "#http/principal.ts";
import type { Database } from "#storage/database.ts";
import { prepared } from "#storage/prepared.ts";
import type { Refusal } from "../access-errors.ts";
import type { SessionCookies } from "../log-in-sessions/cookies.ts";
import type { Sessions } from "../log-in-sessions/sessions.ts";
import type { Tokens } from "../log-in-sessions/tokens.ts";
import { ACCESS_TOKEN_PREFIX, API_KEY_PREFIX, hashToken, parseApiKey } from "./api-key.ts";
import { findGrant, findKey, findSession, findSystemUser, toSessionPrincipal } from "./find-principals.ts";
import { LastUses } from "./last-uses.ts";
import { readBearer, type SentHeaders } from "./read-bearer.ts";

/** What the credentials of a request prove. */
export type Credentials =
	| { readonly principal: Principal }
	/** With the principal of a key that is not valid any more, or not where the request comes from. */
	| { readonly refused: Refusal; readonly principal?: Principal };

interface Parts {
	readonly config: Config;
	readonly db: Database;
	readonly tokens: Tokens;
	readonly sessions: Sessions;
	readonly cookies: SessionCookies;
	readonly now: () => number;
	readonly onError: (error: unknown) => void;
}

/** A principal as its rows were. */
interface Found {
	readonly principal: Principal;
	readonly lastUsedAt: number | null;
}

type Reading = Promise<Found | { readonly refused: Refusal }>;

/** How long a change by another process may go unseen. */
const MAX_AGE_MS = 1_000;
/**
 * From this age on the rows are read again while what is known is still used, so that hardly any request waits for it.
 */
const RENEW_AGE_MS = 500;
const MAX_KNOWN = 10_000;

/**
 * Finds who sends a request. What a token proves is remembered for a second at most; a change in this process counts at
 * once. Tokens that prove nothing are not remembered, so that nobody fills the memory with them.
 */
export class Principals implements AsyncDisposable {
	readonly #parts: Parts;
	readonly #lastUses: LastUses;
	readonly #refusals = new Map<string, number>();
	readonly #adminDigest: Buffer | undefined;
	/**
	 * By the credentials sent; `readAt` in milliseconds of `performance.now()`, taken before the rows were read. The
	 * key is the token itself, as hashing it for each request took a third of the time of authentication; it is dropped
	 * with its entry.
	 */
	readonly #known = new Map<string, Found & { readonly readAt: number }>();
	readonly #reading = new Map<string, { readonly reading: Reading; readonly readAt: number }>();
	#forgetting: NodeJS.Timeout | undefined;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#lastUses = new LastUses(parts.db, parts.onError);
		const secret = parts.config.SERVICE_ADMIN_SECRET;
		this.#adminDigest = secret === null ? undefined : hashToken(secret.reveal());
	}

	/**
	 * Reads `Authorization` or, only if that is absent, the access cookie.
	 * @param ip where the request comes from
	 */
	async authenticate(sent: SentHeaders, ip: string): Promise<Credentials> {
		const bearer = readBearer(sent);
		if (bearer === "unusable") return { refused: "invalid" };
		if (bearer !== undefined) return await this.#recall(`bearer ${bearer}`, ip, () => this.#findBearer(bearer));
		const [cookie, ...others] = this.#parts.cookies.accessTokens(sent.headers);
		if (cookie === undefined) return { refused: "missing" };
		if (others.length > 0) return { refused: "ambiguous" };
		return await this.#recall(`cookie ${cookie}`, ip, () => this.#findSession(cookie));
	}

	/** Notes that a key was refused. @param code that of the error */
	noteRefused(principal: Principal, code: string): void {
		if (!isKey(principal)) return;
		this.#lastUses.noteRefused(principal.keyId, code, this.#parts.now());
		this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
	}

	/** How often this process refused keys that exist, by the code of the error. */
	get refusals(): ReadonlyMap<string, number> {
		return this.#refusals;
	}

	/** To be called after every change of users, sessions and keys, before its answer. */
	invalidate(): void {
		this.#known.clear();
		// A read that began before the change must not answer requests that begin after it, nor be remembered.
		this.#reading.clear();
	}

	/** Writes the last uses that have been noted. */
	[Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#forgetting);
		return this.#lastUses[Symbol.asyncDispose]();
	}

	/** What is known of a token, else what `find` reads. */
	async #recall(token: string, ip: string, find: () => Reading): Promise<Credentials> {
		const known = this.#known.get(token);
		const age = known === undefined ? Infinity : performance.now() - known.readAt;
		if (known === undefined || age >= MAX_AGE_MS) {
			const found = await this.#read(token, find);
			return "refused" in found ? found : this.#use(found, ip);
		}
		// A failure here repeats, and is reported, when a request has to wait for it.
		if (age >= RENEW_AGE_MS) this.#read(token, find).catch(() => undefined);
		return this.#use(known, ip);
	}

	/** Checks expiry and address at each request, whenever the rows were read. */
	#use({ principal, lastUsedAt }: Found, ip: string): Credentials {
		const now = this.#parts.now();
		if ("expiresAt" in principal && principal.expiresAt !== null && principal.expiresAt <= now) {
			return { refused: "expired", principal };
		}
		if (isKey(principal) && principal.limits.ipRanges?.contain(ip) === false) return { refused: "address", principal };
		if (isKey(principal)) this.#lastUses.note("api_keys", principal.keyId, lastUsedAt, now, ip);
		else if (principal.kind === "oauth_token") {
			this.#lastUses.note("oauth2_grants", principal.grantId, lastUsedAt, now, ip);
		} else if ("sessionId" in principal) this.#lastUses.note("login_sessions", principal.sessionId, lastUsedAt, now);
		return { principal };
	}

	/**
	 * Joins a read of the token that has just begun, or begins one and remembers its result. A read that takes long may
	 * have seen the rows long ago, so it is not joined.
	 */
	#read(token: string, find: () => Reading): Reading {
		const running = this.#reading.get(token);
		const readAt = performance.now();
		if (running !== undefined && readAt - running.readAt < MAX_AGE_MS) return running.reading;
		const reading = find().then(
			(found) => {
				if (this.#reading.get(token)?.reading !== reading) return found;
				this.#reading.delete(token);
				this.#known.delete(token);
				if ("principal" in found) this.#remember(token, { ...found, readAt });
				return found;
			},
			(error: unknown) => {
				if (this.#reading.get(token)?.reading === reading) this.#reading.delete(token);
				throw error;
			},
		);
		this.#reading.set(token, { reading, readAt });
		return reading;
	}

	#remember(token: string, known: Found & { readonly readAt: number }): void {
		this.#known.set(token, known);
		this.#forgetting ??= setTimeout(() => this.#forgetOld(), MAX_AGE_MS).unref();
		forgetOldest(this.#known, MAX_KNOWN);
	}

	#forgetOld(): void {
		const oldest = performance.now() - MAX_AGE_MS;
		for (const [token, { readAt }] of this.#known) if (readAt < oldest) this.#known.delete(token);
		this.#forgetting = this.#known.size === 0 ? undefined : setTimeout(() => this.#forgetOld(), MAX_AGE_MS).unref();
	}

	#findBearer(token: string): Reading {
		const digest = hashToken(token);
		if (this.#adminDigest !== undefined && timingSafeEqual(digest, this.#adminDigest)) return this.#findSystem();
		if (token.startsWith(ACCESS_TOKEN_PREFIX)) return this.#findToken(digest);
		return token.startsWith(API_KEY_PREFIX) ? this.#findKey(token, digest) : this.#findSession(token);
	}

	async #findSystem(): Reading {
		const user = await findSystemUser(this.#parts.db.read);
		if (user === undefined) return { refused: "invalid" };
		return { principal: { kind: "admin_secret", user }, lastUsedAt: null };
	}

	async #findKey(token: string, digest: Buffer): Reading {
		const named = parseApiKey(token);
		if (named === undefined) return { refused: "invalid" };
		const found = await findKey(prepared(this.#parts.db.read), named);
		if (found === undefined || !timingSafeEqual(digest, found.secretHash)) return { refused: "invalid" };
		return found;
	}

	async #findToken(digest: Buffer): Reading {
		const { config, db } = this.#parts;
		const found = await findGrant(prepared(db.read), { token: digest });
		if (found === undefined) return { refused: "invalid" };
		// Nobody could renew it.
		return config.SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER ? found : { refused: "expired" };
	}

	async #findSession(token: string): Reading {
		const { db, sessions, tokens } = this.#parts;
		const claims = await tokens.verify("access", token);
		if (typeof claims === "string") return { refused: claims };
		const found = claims.sid === undefined ? undefined : await findSession(prepared(db.read), { sid: claims.sid });
		if (found === undefined || found.user.id !== claims.userId || found.accessJti !== claims.jti) {
			return { refused: "invalid" };
		}
		const { role, authMethod: auth_method } = found.user;
		if (!sessions.mayBeLoggedIn({ role, auth_method, oauth2_provider: found.oauth2Provider })) {
			return { refused: "invalid" };
		}
		if (!found.pairPresented) await sessions.notePresented(found.id, found.accessJti);
		const passwordDue = found.passwordDue && this.#parts.config.SERVICE_ENFORCE_PASSWORD_RESET;
		return { principal: { ...toSessionPrincipal(found), passwordDue }, lastUsedAt: found.lastUsedAt };
	}
}
