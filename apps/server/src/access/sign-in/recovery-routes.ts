import { randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { canonicalEmail, isEmail } from "#base/email.ts";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Origin } from "../auth/audit.ts";
import { endSessions, passwordsAreOff } from "../auth/log-in-sessions/sessions.ts";
import type { TokenClaims } from "../auth/log-in-sessions/tokens.ts";
import { assertPasswordAllowed } from "../auth/passwords/password-policy.ts";
import { consumeReset, findResetUser, issueReset } from "./password-resets.ts";

const MINUTE = 60_000_000;
const JTI_BYTES = 24;
const MAX_BODY_BYTES = 16_384;

/** A forgotten password: a link by mail, and the new password with its token. Exists only while authentication is on. */
export function recoveryRoutes(app: App, context: WritingContext): void {
	const { auth, config, log } = context;
	if (!auth.enabled) return;

	app.post(
		"/auth/password-reset-email",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			onRequest: async (request) => auth.ipLimits.take(request),
			schema: {
				operationId: "sendPasswordResetMail",
				tags: ["sign-in"],
				summary: "Request a mail with a link to choose a new password",
				description:
					"The answer is the same whether or not the account exists. At most 3 mails an hour go to one account.",
				body: z.object({ email: z.string().trim().min(1) }),
				response: { 204: z.undefined() },
			},
		},
		async (request, reply) => {
			assertPasswordsAreOn(config);
			const { missing } = auth.userMails;
			if (missing !== undefined) {
				log.warn(missing);
				throw new UserError(
					503,
					"mail_not_configured",
					"This server sends no mails: ask an administrator for a new password.",
				);
			}
			const email = canonicalEmail(request.body.email);
			await auth.afterAnswer.add(reply, () => sendLink(context, email, request));
			return reply.code(204).send();
		},
	);

	app.post(
		"/auth/password-reset",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			onRequest: async (request) => auth.ipLimits.take(request),
			schema: {
				operationId: "resetPassword",
				tags: ["sign-in"],
				summary: "Set a new password with the token of a mail",
				description:
					"The token works once. Every session of the user ends and a lock of the account is lifted; log in with the new password afterwards.",
				body: z.object({ token: z.string(), password: z.string().min(1) }),
				response: { 204: z.undefined() },
			},
		},
		async (request, reply) => {
			assertPasswordsAreOn(config);
			await resetPassword(context, request.body, request);
			return reply.code(204).send();
		},
	);
}

function assertPasswordsAreOn(config: WritingContext["config"]): void {
	if (config.SERVICE_DISABLE_BASIC_AUTH) throw passwordsAreOff();
}

/** Mails a link to the stored address, never to the typed one: they may be equal only after folding. */
async function sendLink({ auth, config, db, now }: WritingContext, email: string, from: Origin): Promise<void> {
	const issuedAt = now();
	const expiresAt = Math.round(issuedAt + config.SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES * MINUTE);
	const jti = randomBytes(JTI_BYTES).toString("base64url");
	const { user, issued } = await db.write(async (transaction) => {
		const result = await issueReset(transaction, isEmail(email) ? email : "", { jti, now: issuedAt, expiresAt });
		await auth.audit.recordIn(transaction, {
			action: "password.reset_request",
			outcome: result.issued ? "success" : "denied",
			...(result.issued ? {} : { code: result.user === undefined ? "unknown_account" : "too_many_mails" }),
			// What was typed for an account that does not exist may be a password, so it is not recorded.
			...(result.user === undefined
				? {}
				: { target: { type: "user", id: result.user.id, name: result.user.username } }),
			request: from,
		});
		return result;
	});
	if (user === undefined || !issued) return;
	auth.userMails.resetLink(user, await auth.tokens.sign("reset", { userId: user.id, jti, issuedAt, expiresAt }));
}

/** @throws UserError 401 for a link that is no longer valid, 422 for a refused password, which leaves the link valid */
async function resetPassword(
	{ auth, config, db, now }: WritingContext,
	{ token, password }: { readonly token: string; readonly password: string },
	request: FastifyRequest,
): Promise<void> {
	const claims = await auth.tokens.verify("reset", token);
	const user = typeof claims === "string" ? undefined : await findResetUser(db.read, toLink(claims, now()));
	if (typeof claims === "string" || user === undefined) {
		await auth.audit.record({ action: "password.reset", outcome: "failure", code: "invalid_token", request });
		throw deadLink();
	}
	assertPasswordAllowed(password, config, user);
	if (user.password_due === 1 && (await auth.passwords.verify(user.password_hash, password))) {
		throw new UserError(422, "password_unchanged", "The new password must differ from the current one.");
	}
	const hash = await auth.passwords.hash(password);
	await db.write(async (transaction) => {
		if (!(await consumeReset(transaction, toLink(claims, now()), hash))) throw deadLink();
		await endSessions(transaction, user.id);
		if (user.email !== null) await auth.lockout.clear(transaction, "local", user.email);
		await auth.audit.recordIn(transaction, {
			action: "password.reset",
			outcome: "success",
			target: { type: "user", id: user.id, name: user.username },
			request,
		});
	});
	auth.principals.invalidate();
	auth.userMails.passwordChanged(user, "mail");
}

function toLink({ userId, jti }: TokenClaims, now: number) {
	return { userId, jti, now };
}

function deadLink(): UserError {
	return new UserError(
		401,
		"invalid_token",
		"This link no longer works: it was used, has expired or was replaced by a newer one. Ask for a new one.",
	);
}
