import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import { z } from "zod";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Tables } from "#storage/schema.ts";
import type { AuditEntry } from "../auth/audit.ts";
import { findGrant } from "../auth/principals/find-principals.ts";
import { Approval } from "./approval.ts";
import { type Parameters, readResource, text } from "./authorization-request.ts";
import { redeemDeviceCode } from "./device-codes.ts";
import {
	endGrant,
	findGrantOfAccessToken,
	findGrantOfRefreshToken,
	grantTarget,
	type IssuedTokens,
	insertGrant,
	rotate,
	scopesOf,
} from "./grants.ts";
import { requireIssuer } from "./issuer.ts";
import { OAuthError } from "./oauth-error.ts";
import { areProgramsOn, keepNowhere, mountFormEndpoints } from "./parts.ts";
import { preciseNow } from "./precise-now.ts";
import { parseScope, scopeText } from "./scopes.ts";
import { familyOf, hashToken } from "./tokens.ts";

const MINUTE_MICROS = 60_000_000;
/** RFC 7636, 4.1 */
const VERIFIER = /^[\w.~-]{43,128}$/;
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

const TokenAnswer = z.object({
	access_token: z.string(),
	token_type: z.literal("Bearer"),
	expires_in: z.int(),
	refresh_token: z.string(),
	scope: z.string().optional(),
});

/** What a transaction came to; it is not thrown inside, as what it wrote has to stay. */
type Outcome = IssuedTokens | OAuthError;

/** Where programs get tokens and give them back. */
export function tokenRoutes(app: App, context: WritingContext): void {
	const { auth, config, db, now } = context;
	if (!areProgramsOn(context)) return;
	const accessMicros = Math.round(config.SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES * MINUTE_MICROS);
	const lives = () => ({ accessMicros, now: now() });
	const described = (operationId: string, summary: string, answer: z.ZodType) =>
		({
			config: { access: "public", home: "none" },
			schema: {
				...{ operationId, tags: ["programs"], summary, response: { 200: answer } },
				description: "Takes a form, `application/x-www-form-urlencoded`; errors are those of RFC 6749, 5.2.",
			},
		}) as const;

	mountFormEndpoints(app, (endpoints) => {
		endpoints.post(
			"/oauth2/token",
			described("requestToken", "Get tokens (RFC 6749)", TokenAnswer),
			async (request, reply) => {
				const arrivedAt = preciseNow();
				const issuer = requireIssuer(config, request);
				const parameters = (request.body ?? {}) as Parameters;
				const type = grantTypeOf(parameters["grant_type"]);
				try {
					const issued = await issueBy(type, parameters, issuer, request, arrivedAt);
					auth.programTokens.count(type, "success");
					keepNowhere(reply);
					return toAnswer(issued, parameters);
				} catch (error) {
					auth.programTokens.count(type, error instanceof OAuthError ? error.code : "error");
					throw error;
				}
			},
		);

		endpoints.post(
			"/oauth2/revoke",
			described("revokeToken", "End an authorization (RFC 7009)", z.null()),
			async (request, reply) => {
				requireIssuer(config, request);
				const parameters = (request.body ?? {}) as Parameters;
				const token = text(parameters, "token");
				if (token === undefined) throw new OAuthError("invalid_request", "token is missing");
				await revoke(token, text(parameters, "client_id"), request);
				keepNowhere(reply);
				return reply.code(200).send(null);
			},
		);
	});

	async function issueBy(
		type: string,
		parameters: Parameters,
		issuer: string,
		request: FastifyRequest,
		arrivedAt: number,
	): Promise<IssuedTokens> {
		const clientId = required(parameters, "client_id");
		required(parameters, "grant_type");
		switch (type) {
			case "authorization_code":
				return settle(await byCode(parameters, clientId, issuer, request, arrivedAt));
			case "refresh_token":
				return settle(await byRefreshToken(parameters, clientId, issuer, request, arrivedAt));
			case "device_code":
				if (!config.SERVICE_OAUTH2_DEVICE_FLOW) break;
				return settle(await redeemDeviceCode(db, required(parameters, "device_code"), clientId, lives()));
		}
		throw new OAuthError("unsupported_grant_type", "grant_type is not one of the metadata of this server");
	}

	function settle(outcome: Outcome): IssuedTokens {
		if (outcome instanceof OAuthError) throw outcome;
		return outcome;
	}

	/** RFC 6749, 4.1.3, with RFC 7636 and 8707. What does not fit consumes nothing. */
	async function byCode(
		parameters: Parameters,
		clientId: string,
		issuer: string,
		request: FastifyRequest,
		arrivedAt: number,
	): Promise<Outcome> {
		const hash = hashToken(required(parameters, "code"));
		const redirectUri = required(parameters, "redirect_uri");
		const verifier = required(parameters, "code_verifier");
		const select = (from: Transaction<Tables> | typeof db.read) =>
			from
				.selectFrom("oauth2_codes")
				.innerJoin("oauth2_clients", "oauth2_clients.id", "oauth2_codes.client_id")
				.selectAll("oauth2_codes")
				.select(["oauth2_clients.public_id", "oauth2_clients.disabled"])
				.where("hash", "=", hash)
				.executeTakeFirst();
		const before = await select(db.read);
		if (before === undefined) return invalidGrant("The code is unknown or has ended");
		if (wasSpent(before.used_at, arrivedAt)) {
			if (before.grant_id !== null) await endForReuse(before.grant_id, "authorization_code", request);
			return invalidGrant("The code was used before");
		}
		if (before.public_id !== clientId || before.redirect_uri !== redirectUri) {
			return invalidGrant("The code is not for this client_id and redirect_uri");
		}
		if (before.disabled === 1) return new OAuthError("unauthorized_client", "An admin has disabled this program");
		const approval = Approval.parse(JSON.parse(before.approved));
		assertSameResource(parameters, issuer, approval.audience);
		if (!isVerified(verifier, before.code_challenge)) return invalidGrant("code_verifier does not fit the code");
		return await db.write(async (transaction) => {
			const code = await select(transaction);
			if (code === undefined || code.used_at !== null || code.expires_at <= now()) {
				return invalidGrant("The code has ended");
			}
			const issued = await insertGrant(
				transaction,
				{ userId: code.user_id, clientId: code.client_id, approval },
				lives(),
			);
			const { numUpdatedRows } = await transaction
				.updateTable("oauth2_codes")
				.set({ used_at: preciseNow(), grant_id: issued.grant.id })
				.where("id", "=", code.id)
				.where("used_at", "is", null)
				.executeTakeFirst();
			if (numUpdatedRows !== 1n) throw new Error("a code was used twice in one transaction");
			return issued;
		});
	}

	/** RFC 6749, 6, with the rotation of RFC 9700, 4.14.2. */
	async function byRefreshToken(
		parameters: Parameters,
		clientId: string,
		issuer: string,
		request: FastifyRequest,
		arrivedAt: number,
	): Promise<Outcome> {
		const token = required(parameters, "refresh_token");
		const family = familyOf(token);
		const grant = family === undefined ? undefined : await findGrantOfRefreshToken(db.read, family);
		if (grant === undefined || family === undefined) return invalidGrant("The refresh token is unknown or has ended");
		const isCurrent = timingSafeEqual(hashToken(token), grant.refresh_hash);
		if (!isCurrent) {
			// It came before the other request changed anything.
			if (wasSpent(grant.refreshed_at, arrivedAt)) await endForReuse(grant.id, "refresh_token", request);
			return invalidGrant("The refresh token was used before");
		}
		if (grant.client !== clientId) return invalidGrant("The refresh token is not for this client_id");
		if (grant.client_disabled === 1) return new OAuthError("unauthorized_client", "An admin has disabled this program");
		if (grant.expires_at <= now()) return invalidGrant("The authorization has expired");
		assertSameResource(parameters, issuer, grant.resource);
		const granted = new Set(scopeText(scopesOf(grant)).split(" "));
		const wanted = parseScope(text(parameters, "scope"));
		if (wanted !== null && !wanted.some((scope) => granted.has(scope))) {
			return new OAuthError("invalid_scope", "The scope was not granted");
		}
		const issued = await db.write((transaction) => rotate(transaction, grant, { token, family }, lives()));
		return issued ?? invalidGrant("The refresh token was used before");
	}

	/** Somebody has a secret that is used up: whoever of both it is, the other one must not go on. */
	async function endForReuse(grantId: number, what: string, request: FastifyRequest): Promise<void> {
		await end(grantId, { action: "oauth.reuse", outcome: "denied", request, details: { what } });
	}

	/** RFC 7009: any token of a grant ends it; what is no token, or is another client's, ends nothing. */
	async function revoke(token: string, clientId: string | undefined, request: FastifyRequest): Promise<void> {
		const family = familyOf(token);
		const grant =
			family === undefined
				? await findGrantOfAccessToken(db.read, token)
				: await findGrantOfRefreshToken(db.read, family);
		if (grant === undefined || (clientId !== undefined && grant.client !== clientId)) return;
		await end(grant.id, {
			action: "oauth.grant.revoke",
			outcome: "success",
			request,
			details: { by: "program" },
		});
	}

	async function end(grantId: number, entry: Omit<AuditEntry, "principal" | "target">): Promise<void> {
		await db.write(async (transaction) => {
			// Absent where the client is disabled.
			const principal = (await findGrant(transaction, { id: grantId }))?.principal;
			const ended = await endGrant(transaction, grantId);
			if (ended === undefined) return;
			await auth.audit.recordIn(transaction, {
				...entry,
				...(principal === undefined ? {} : { principal }),
				target: grantTarget(ended),
			});
		});
		auth.principals.invalidate();
	}
}

/** Whether something was used before a request came, so that the request repeats it instead of racing with it. */
function wasSpent(usedAt: number | null, arrivedAt: number): boolean {
	return usedAt !== null && usedAt < arrivedAt;
}

/** @throws OAuthError when the resource of a token request is another one than was authorized */
function assertSameResource(parameters: Parameters, issuer: string, authorized: "api" | "mcp"): void {
	if (parameters["resource"] === undefined || readResource(parameters, issuer) === authorized) return;
	throw new OAuthError("invalid_target", "resource is not the one that was authorized");
}

function isVerified(verifier: string, challenge: string): boolean {
	if (!VERIFIER.test(verifier)) return false;
	const given = Buffer.from(createHash("sha256").update(verifier).digest("base64url"));
	const wanted = Buffer.from(challenge);
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** @throws OAuthError */
function required(parameters: Parameters, name: string): string {
	const value = text(parameters, name);
	if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing`);
	if (value.length > 4_096) throw new OAuthError("invalid_request", `${name} is too long`);
	return value;
}

function invalidGrant(message: string): OAuthError {
	return new OAuthError("invalid_grant", message);
}

/** As metrics name it, so that what is sent there makes no series. */
function grantTypeOf(sent: unknown): "authorization_code" | "refresh_token" | "device_code" | "other" {
	if (sent === "authorization_code" || sent === "refresh_token") return sent;
	return sent === DEVICE_CODE ? "device_code" : "other";
}

function toAnswer(
	{ grant, accessToken, refreshToken, accessExpiresAt }: IssuedTokens,
	parameters: Parameters,
): z.output<typeof TokenAnswer> {
	const saysScope = grant.scope_stated === 1 || parameters["scope"] !== undefined;
	return {
		access_token: accessToken,
		token_type: "Bearer",
		expires_in: Math.max(1, Math.floor((accessExpiresAt - Date.now() * 1_000) / 1_000_000)),
		refresh_token: refreshToken,
		...(saysScope ? { scope: scopeText(scopesOf(grant)) } : {}),
	};
}
