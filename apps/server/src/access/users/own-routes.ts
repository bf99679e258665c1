import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { KeyPrincipal, Principal, TokenPrincipal } from "#http/principal.ts";
import type { Rights } from "#http/rights.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import { endSessions } from "../auth/log-in-sessions/sessions.ts";
import { proveAndHash, wrongPassword } from "./new-passwords.ts";
import { getUser, type UserRow, updateUser } from "./queries.ts";
import { AnonymousUser, OwnUser, UpdateOwnUserBody, User } from "./schemas.ts";
import { toUser, userTarget } from "./to-user.ts";

/** One's own account. */
export function ownUserRoutes(app: App, context: Context): void {
	const { auth, config, db, now } = context;

	app.get(
		"/v1/user",
		{
			config: { access: "account", home: "none" },
			schema: {
				operationId: "getViewer",
				tags: ["users"],
				summary: "Fetch the user that the request acts as",
				response: { 200: z.object({ data: z.union([OwnUser, AnonymousUser]) }) },
			},
		},
		async ({ actor, principal }) => {
			// A run sends no requests.
			if (principal.kind === "anonymous" || principal.kind === "run")
				return { data: { auth_method: "ANONYMOUS" as const } };
			const row = await getUser(db.read, principal.user.id);
			const management = managementUrl(principal, row);
			return {
				data: {
					...toUser(row),
					credential: principal.kind,
					...("limits" in principal ? await limitsOf(principal, actor.rights) : {}),
					...(management === undefined ? {} : { management_url: management }),
				},
			};
		},
	);

	app.patch(
		"/v1/user",
		{
			config: { access: "own_account", home: "none", whenAuthIsOff: "refused", whenFull: "allowed" },
			schema: {
				operationId: "updateViewer",
				tags: ["users"],
				summary: "Change one's own name or password; a new password ends every other session",
				body: UpdateOwnUserBody,
				response: { 200: z.object({ data: User }) },
			},
		},
		async (request, reply) => {
			const { actor, principal, body } = request;
			if (principal.kind !== "session" && principal.kind !== "user_key") {
				throw new UserError(403, "not_a_person", "Only the settings can change the system's account.");
			}
			const user = await getUser(db.read, principal.user.id);
			const passwordHash = await proveAndHash(context, request, user);
			const { updated, session } = await actor.change(async (transaction) => {
				const before = await getUser(transaction, user.id);
				// The password was changed meanwhile: the one that the caller has proved no longer counts.
				if (passwordHash !== undefined && before.password_hash !== user.password_hash) throw wrongPassword();
				const row = await updateUser(transaction, user.id, {
					...(body.username === undefined ? {} : { username: body.username }),
					...(passwordHash === undefined ? {} : { password_hash: passwordHash, password_due: 0, password_replaced: 1 }),
					updated_at: now(),
				});
				const about = { outcome: "success", principal, request, target: userTarget(row) } as const;
				if (row.username !== before.username) {
					const details = { username_before: before.username };
					await auth.audit.recordIn(transaction, { ...about, action: "user.update", details });
				}
				if (passwordHash === undefined || principal.kind !== "session") return { updated: row };
				await transaction.deleteFrom("password_resets").where("user_id", "=", user.id).execute();
				await endSessions(transaction, user.id, { except: principal.sessionId });
				await auth.audit.recordIn(transaction, { ...about, action: "password.change" });
				return { updated: row, session: await auth.sessions.renew(transaction, principal.sessionId) };
			});
			auth.principals.invalidate();
			if (session !== undefined) {
				auth.cookies.set(reply, await auth.sessions.pairOf(session), now());
				auth.userMails.passwordChanged(updated, "owner");
			}
			return { data: toUser(updated) };
		},
	);

	/** What a key or program may, as it is told itself. */
	async function limitsOf(principal: KeyPrincipal | TokenPrincipal, rights: Rights) {
		const { permissions, homes } = principal.limits;
		const ids = [...(homes?.projectIds ?? [])].filter((id) => rights.roleAt(id) !== undefined);
		const projects = await db.read
			.selectFrom("projects")
			.select(["id", "name"])
			.where("id", "in", listed(ids))
			.orderBy("name")
			.execute();
		const isToken = principal.kind === "oauth_token";
		return {
			permissions:
				permissions === undefined
					? null
					: [...permissions, ...(isToken && principal.admin ? (["admin"] as const) : [])],
			projects:
				homes === undefined ? null : projects.map(({ id, name }) => ({ id: encodeGlobalId("Project", id), name })),
			include_library: homes?.library ?? true,
			expires_at: principal.expiresAt === null ? null : formatTime(principal.expiresAt),
			...(isToken ? { client: clientOf(principal) } : {}),
		};
	}

	function clientOf({ client, grantExpiresAt }: TokenPrincipal) {
		return { client_id: client.clientId, name: client.name, authorized_until: formatTime(grantExpiresAt) };
	}

	/** Shown only to those whom the operator named. */
	function managementUrl(principal: Principal, user: UserRow): string | undefined {
		if (config.SERVICE_MANAGEMENT_URL === null || user.email === null) return undefined;
		if (principal.kind !== "session" && principal.kind !== "user_key") return undefined;
		const isListed = config.SERVICE_ADMINS.some(({ email }) => email === user.email);
		return isListed ? config.SERVICE_MANAGEMENT_URL : undefined;
	}
}
