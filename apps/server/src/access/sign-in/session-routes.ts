import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { Principal, SessionPrincipal } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";

const Session = z.object({
	id: z.string(),
	created_at: z.string().describe("When the user logged in."),
	last_used_at: z.string(),
	expires_at: z.string().describe("When it ends by itself, unless it is used before."),
	ip: z.string(),
	user_agent: z.string(),
	current: z.boolean().describe("Whether the request comes from it."),
});

/** Routes for a user's own log-in sessions. */
export function ownSessionRoutes(app: App, { auth, db, now }: Context): void {
	app.get(
		"/v1/user/sessions",
		{
			config: { access: "session", home: "none", whenAuthIsOff: "refused" },
			schema: {
				operationId: "listOwnSessions",
				tags: ["users"],
				summary: "List one's own sessions, newest first",
				response: { 200: z.object({ data: z.array(Session), next_cursor: z.null() }) },
			},
		},
		async ({ principal }) => {
			const { user, sessionId } = sessionOf(principal);
			const rows = await db.read
				.selectFrom("login_sessions")
				.select(["id", "created_at", "last_used_at", "refresh_expires_at", "ip", "user_agent"])
				.where("user_id", "=", user.id)
				.where("refresh_expires_at", ">", now())
				.orderBy("id", "desc")
				.execute();
			return {
				data: rows.map((row) => ({
					id: encodeGlobalId("LoginSession", row.id),
					created_at: formatTime(row.created_at),
					last_used_at: formatTime(row.last_used_at),
					expires_at: formatTime(row.refresh_expires_at),
					ip: row.ip,
					user_agent: row.user_agent,
					current: row.id === sessionId,
				})),
				next_cursor: null,
			};
		},
	);

	app.delete(
		"/v1/user/sessions/:session_id",
		{
			config: { access: "session", home: "none", whenAuthIsOff: "refused" },
			schema: {
				operationId: "endOwnSession",
				tags: ["users"],
				summary: "End one of one's own sessions",
				params: z.object({ session_id: z.string() }),
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, principal, params } = request;
			const { user, sessionId } = sessionOf(principal);
			const id = decodeGlobalId(params.session_id, "LoginSession");
			if (id === undefined) throw new UserError(422, "invalid_session_id", "This is not the id of a session.");
			await actor.change(async (transaction) => {
				const { numDeletedRows } = await transaction
					.deleteFrom("login_sessions")
					.where("id", "=", id)
					.where("user_id", "=", user.id)
					.executeTakeFirstOrThrow();
				// The answer does not reveal whether it is somebody else's session.
				if (numDeletedRows === 0n) throw notFound("session_not_found", "You have no such session.");
				await auth.audit.recordIn(transaction, {
					action: "session.end",
					outcome: "success",
					principal,
					target: { type: "session", id },
					request,
				});
			});
			auth.principals.invalidate();
			if (id === sessionId) auth.cookies.delete(reply);
			return reply.code(204).send(null);
		},
	);
}

function sessionOf(principal: Principal): SessionPrincipal {
	if (principal.kind !== "session") throw new Error("the policy admits sessions only");
	return principal;
}
