import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { onlyToken } from "../auth/log-in-sessions/cookies.ts";
import { passwordsAreOff } from "../auth/log-in-sessions/sessions.ts";
import { logIn } from "./log-in.ts";

const MAX_BODY_BYTES = 16_384;
const MAX_PASSWORD_BYTES = 1_024;

const LogInBody = z
	.object({
		email: z.string().max(1_024).optional(),
		password: z
			.string()
			.refine((password) => Buffer.byteLength(password) <= MAX_PASSWORD_BYTES, "a password has at most 1024 bytes")
			.optional(),
	})
	.nullish();

/** Logging in by password, and keeping a session. Exists only while authentication is on. */
export function signInRoutes(app: App, context: WritingContext): void {
	const { auth, config, now } = context;
	if (!auth.enabled) return;

	app.post(
		"/auth/login",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			onRequest: async (request) => auth.ipLimits.take(request),
			schema: {
				operationId: "logIn",
				tags: ["sign-in"],
				summary: "Log in with email and password",
				description: "Sets the cookies of a new session, whatever cookies were sent.",
				body: LogInBody,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			if (config.SERVICE_DISABLE_BASIC_AUTH) throw passwordsAreOff();
			const { email = "", password = "" } = request.body ?? {};
			if (email.trim() === "" || password === "") {
				throw new UserError(401, "missing_credentials", "Enter your email and your password.");
			}
			auth.cookies.set(reply, await logIn(context, request, { email, password }), now());
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/auth/refresh",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			schema: {
				operationId: "refreshSession",
				tags: ["sign-in"],
				summary: "Get new tokens for the refresh cookie",
				description:
					"This uses up the refresh token: using it again later ends the session. Concurrent requests get the same new tokens.",
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const token = onlyToken(auth.cookies.refreshTokens(request.headers));
			if (token === undefined) throw new UserError(401, "missing_token", "There is no session to refresh: log in.");
			const access = onlyToken(auth.cookies.accessTokens(request.headers));
			const pair = await auth.sessions.refresh({ token, access }, request, () => auth.principals.invalidate());
			auth.cookies.set(reply, pair, now());
			return reply.code(204).send(null);
		},
	);
}
