import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { logInWithDirectory } from "./log-in.ts";

const MAX_BODY_BYTES = 16_384;

const LogInBody = z.object({ username: z.string().optional(), password: z.string().optional() }).nullish();

/** Logging in with the account of a directory. Exists only where one is configured. */
export function ldapRoutes(app: App, context: WritingContext): void {
	const { auth, now } = context;
	const directory = auth.ldap;
	if (directory === undefined) return;

	app.post(
		"/auth/ldap/login",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			onRequest: async (request) => auth.ipLimits.take(request),
			schema: {
				operationId: "logInWithDirectory",
				tags: ["sign-in"],
				summary: "Log in with the username and password of the directory",
				description:
					"Sets the cookies of a new session, whatever cookies were sent. Only if LDAP is configured. 503 if no directory server can be reached, which does not count as a failed attempt.",
				body: LogInBody,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { username = "", password = "" } = request.body ?? {};
			if (username.trim() === "" || password === "") {
				throw new UserError(401, "missing_credentials", "Enter your username and your password.");
			}
			const pair = await logInWithDirectory(context, directory, request, { username, password });
			auth.cookies.set(reply, pair, now());
			return reply.code(204).send(null);
		},
	);
}
