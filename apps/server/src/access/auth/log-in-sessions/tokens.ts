import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Config } from "#base/config.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { SigningKeys } from "../signing-keys.ts";

export type TokenKind = "access" | "refresh" | "reset";

/** What a token says. The row it names decides whether it still counts. */
export interface TokenClaims {
	readonly userId: number;
	/** At least 128 random bits. */
	readonly jti: string;
	/** Of the log-in session; absent in reset tokens. */
	readonly sid?: string;
	/** Microseconds since 1970, to the second in a token that was read. */
	readonly issuedAt: number;
	readonly expiresAt: number;
}

const ALGORITHM = "HS256";
const ISSUER = "spanward";
const MAX_LENGTH = 4_096;
const SECOND = 1_000_000;
/** Media types of the kinds, so that none is read as another (RFC 8725, 3.11). */
const TYPES: Readonly<Record<TokenKind, string>> = { access: "at+jwt", refresh: "rt+jwt", reset: "reset+jwt" };

/** Signs and reads JSON web tokens (RFC 7519); each kind has a key, a type and an audience of its own. */
export class Tokens {
	readonly #issuer: string;
	readonly #keys: SigningKeys | undefined;
	readonly #now: () => number;

	/** @param keys undefined only while authentication is off, when there are no tokens */
	constructor(config: Pick<Config, "SERVICE_ROOT_URL">, keys: SigningKeys | undefined, now: () => number) {
		this.#issuer = config.SERVICE_ROOT_URL ?? ISSUER;
		this.#keys = keys;
		this.#now = now;
	}

	/** The token with these claims: the same ones give the same text. */
	async sign(kind: TokenKind, { userId, jti, sid, issuedAt, expiresAt }: TokenClaims): Promise<string> {
		const token = new SignJWT(sid === undefined ? {} : { sid })
			.setProtectedHeader({ alg: ALGORITHM, typ: TYPES[kind] })
			.setIssuer(this.#issuer)
			.setSubject(encodeGlobalId("User", userId))
			.setAudience(kind)
			.setIssuedAt(Math.floor(issuedAt / SECOND))
			.setExpirationTime(Math.ceil(expiresAt / SECOND))
			.setJti(jti);
		return await token.sign(this.#signingKeys().current(kind));
	}

	/** The claims of a token of this kind that one of our secrets signed, or why there are none. */
	async verify(kind: TokenKind, token: string): Promise<TokenClaims | "expired" | "invalid"> {
		if (token.length > MAX_LENGTH || !isCanonical(token)) return "invalid";
		for (const key of this.#signingKeys().all(kind)) {
			try {
				const { payload } = await jwtVerify(token, key, {
					algorithms: [ALGORITHM],
					typ: TYPES[kind],
					issuer: this.#issuer,
					audience: kind,
					requiredClaims: ["sub", "jti", "iat", "exp"],
					currentDate: new Date(this.#now() / 1_000),
				});
				return toClaims(payload) ?? "invalid";
			} catch (error) {
				if (error instanceof errors.JWTExpired) return "expired";
				if (error instanceof errors.JWSSignatureVerificationFailed) continue;
				if (error instanceof errors.JOSEError) return "invalid";
				throw error;
			}
		}
		return "invalid";
	}

	#signingKeys(): SigningKeys {
		if (this.#keys === undefined) throw new Error("there are tokens only where SERVICE_SECRET is set");
		return this.#keys;
	}
}

/** Whether this is the only text of its token: base64url also decodes with padding, and with other bits at its end. */
function isCanonical(token: string): boolean {
	return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function toClaims({ sub, jti, sid, iat, exp }: JWTPayload): TokenClaims | undefined {
	const userId = typeof sub === "string" ? decodeGlobalId(sub, "User") : undefined;
	if (userId === undefined || typeof jti !== "string" || iat === undefined || exp === undefined) return undefined;
	const claims = { userId, jti, issuedAt: iat * SECOND, expiresAt: exp * SECOND };
	return typeof sid === "string" ? { ...claims, sid } : claims;
}
