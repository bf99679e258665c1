import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { endSession, endSessions } from "../auth/log-in-sessions/sessions.ts";
import { toSessionPrincipal } from "../auth/principals/find-principals.ts";
import { presentedSessions } from "./presented-sessions.ts";

/** A body has nothing to say here. */
const MAX_BODY_BYTES = 1_024;

/** Routes that end sessions. A caller without a session gets the same answer. */
export function logOutRoutes(app: App, context: WritingContext): void {
	const { auth, config, db } = context;
	if (!auth.enabled) return;
	// The log-in page would log in again at once if it goes to a provider by itself.
	const logsInByItself = config.OAUTH2_PROVIDERS.some(({ autoLogin }) => autoLogin);
	const hasLogOutPage = config.SERVICE_DISABLE_BASIC_AUTH || logsInByItself;
	const loggedOut = config.SERVICE_HOST_ROOT_PATH + (hasLogOutPage ? "/logout" : "/login");

	app.get(
		"/auth/logout",
		{
			config: { access: "public", home: "none" },
			exposeHeadRoute: false,
			schema: {
				operationId: "logOutByLink",
				tags: ["sign-in"],
				summary: "End every session of the user and go to the log-in page",
				description:
					"Only for a person who follows a link of this service or types the address: what a page or a trace of another site loads changes nothing.",
				response: { 302: z.null() },
			},
		},
		async (request, reply) => {
			if (isOwnNavigation(request.headers)) {
				await endEverywhere(request);
				forget(request, reply);
			}
			return reply.redirect(loggedOut, 302);
		},
	);

	app.post(
		"/auth/logout",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			schema: {
				operationId: "logOut",
				tags: ["sign-in"],
				summary: "End this session",
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			for (const session of await presentedSessions(context, request.raw)) {
				await db.write(async (transaction) => {
					if (!(await endSession(transaction, session.id))) return;
					await auth.audit.recordIn(transaction, {
						action: "logout",
						outcome: "success",
						principal: toSessionPrincipal(session),
						target: { type: "session", id: session.id },
						request,
					});
				});
				auth.principals.invalidate();
			}
			forget(request, reply);
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/auth/logout-all",
		{
			config: { access: "public", home: "none" },
			bodyLimit: MAX_BODY_BYTES,
			schema: {
				operationId: "logOutEverywhere",
				tags: ["sign-in"],
				summary: "End every session of the user",
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await endEverywhere(request);
			forget(request, reply);
			return reply.code(204).send(null);
		},
	);

	async function endEverywhere(request: FastifyRequest): Promise<void> {
		for (const session of await presentedSessions(context, request.raw)) {
			await db.write(async (transaction) => {
				await endSessions(transaction, session.user.id);
				await auth.audit.recordIn(transaction, {
					action: "logout.everywhere",
					outcome: "success",
					principal: toSessionPrincipal(session),
					request,
				});
			});
			auth.principals.invalidate();
		}
	}

	function forget(request: FastifyRequest, reply: FastifyReply): void {
		auth.cookies.delete(reply);
		auth.oauth2.transactions?.forgetAll(request.headers, reply);
		void reply.header("clear-site-data", '"cache", "storage"');
	}
}

/**
 * Whether a person came to this address from here or directly, as far as the browser says (Fetch Metadata): not by an
 * image, a frame, a link on another site or a prefetch. Node's fetch says `cors` and nothing more; a browser names the
 * site too.
 */
function isOwnNavigation(headers: IncomingHttpHeaders): boolean {
	const allows = (name: string, ...values: readonly string[]) => {
		const value = headers[name];
		return value === undefined || (typeof value === "string" && values.includes(value));
	};
	const isScript = headers["sec-fetch-site"] === undefined && headers["sec-fetch-dest"] === undefined;
	return (
		allows("sec-fetch-site", "same-origin", "none") &&
		allows("sec-fetch-mode", "navigate", ...(isScript ? ["cors"] : [])) &&
		allows("sec-fetch-dest", "document") &&
		headers["sec-purpose"] === undefined &&
		headers["purpose"] === undefined
	);
}
