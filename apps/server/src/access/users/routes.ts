import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { authenticationIsOff } from "#http/access-policy.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { type Principal, userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { keepKeyNamesOf } from "../api-keys/queries.ts";
import { endSessions } from "../auth/log-in-sessions/sessions.ts";
import { hashGivenPassword, newLogin } from "./new-passwords.ts";
import {
	assertAnotherAdmin,
	assertFree,
	getUser,
	insertUser,
	isBound,
	isDefaultAdmin,
	listUsers,
	type NewUser,
	parseUserId,
	type UserRow,
	updateUser,
} from "./queries.ts";
import { CreateUserBody, UpdateUserBody, User } from "./schemas.ts";
import { toUser, userTarget } from "./to-user.ts";

const OneUser = z.object({ data: User });
const params = z.object({ user_id: z.string() });

/** Accounts, for admins. */
export function userRoutes(app: App, context: Context): void {
	const { auth, config, db, now } = context;

	app.get(
		"/v1/users",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "getUsers",
				tags: ["users"],
				summary: "Page through users, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(User).meta({ id: "UserPage" }) },
			},
		},
		async ({ query }) => {
			return await pageOf("User", query, (part) => listUsers(db.read, part), toUser);
		},
	);

	app.post(
		"/v1/users",
		{
			config: { access: "admin", home: "none", repeats: "never" },
			schema: {
				operationId: "createUser",
				tags: ["users"],
				summary: "Create a user",
				body: CreateUserBody,
				response: { 201: OneUser },
			},
		},
		async (request, reply) => {
			const { actor, principal, body } = request;
			refuseWhileOff(principal);
			refuseSystemRole(body.user.role);
			await assertFree(db.read, body.user);
			const login = await newLogin(context, body.user);
			const created = await actor.change(async (transaction) => {
				await assertFree(transaction, body.user);
				const { username, email, role } = body.user;
				const row = await insertUser(transaction, { username, email, role, login, now: now() });
				if (row === undefined) throw new UserError(409, "user_exists", "This user already exists");
				await auth.audit.recordIn(transaction, {
					action: "user.create",
					outcome: "success",
					principal,
					request,
					target: userTarget(row),
					details: { role, auth_method: row.auth_method },
				});
				return row;
			});
			auth.principals.invalidate();
			if (body.send_welcome_email) auth.userMails.welcome(created, firstLogIn(login));
			return reply.code(201).send({ data: toUser(created) });
		},
	);

	app.patch(
		"/v1/users/:user_id",
		{
			config: { access: "admin", home: "none", whenFull: "allowed" },
			schema: {
				operationId: "updateUser",
				tags: ["users"],
				summary: "Change a user's name or role, or give them a new password",
				params,
				body: UpdateUserBody,
				response: { 200: OneUser },
			},
		},
		async (request) => {
			const { actor, principal, body } = request;
			const id = parseUserId(request.params.user_id);
			const user = await getUser(db.read, id);
			refuseWhileOff(principal);
			refuseSystemRole(body.role);
			if (
				(body.role !== undefined || body.password !== undefined) &&
				(principal.kind === "user_key" || principal.kind === "oauth_token")
			) {
				throw new UserError(
					403,
					"session_needed",
					"Roles and passwords are changed by an admin who is logged in, or with the admin secret; not with a key.",
				);
			}
			refuseOwn(principal, id, "Change your own account with PATCH /v1/user.");
			refuseProtected(user, body.role !== undefined && body.role !== user.role);
			const { username, role, password } = body;
			const passwordHash =
				password === undefined ? undefined : await hashGivenPassword(context, user, { username, password });

			const updated = await actor.change(async (transaction) => {
				const before = await getUser(transaction, id);
				if (role !== undefined && role !== "ADMIN") await assertAnotherAdmin(transaction, before, config);
				const row = await updateUser(transaction, id, {
					...(username === undefined ? {} : { username }),
					...(role === undefined ? {} : { role }),
					...(passwordHash === undefined ? {} : { password_hash: passwordHash, password_due: 1, password_replaced: 1 }),
					updated_at: now(),
				});
				const about = { outcome: "success", principal, request, target: userTarget(row) } as const;
				if (row.username !== before.username || row.role !== before.role) {
					const details = changesOf(before, row);
					await auth.audit.recordIn(transaction, { ...about, action: "user.update", details });
				}
				if (passwordHash !== undefined) {
					await transaction.deleteFrom("password_resets").where("user_id", "=", id).execute();
					await auth.lockout.clear(transaction, "local", row.email ?? "");
					await auth.audit.recordIn(transaction, { ...about, action: "password.reset" });
				}
				if (passwordHash !== undefined || row.role !== before.role) await endSessions(transaction, id);
				return row;
			});
			auth.principals.invalidate();
			if (passwordHash !== undefined) auth.userMails.passwordChanged(updated, "admin");
			return { data: toUser(updated) };
		},
	);

	app.delete(
		"/v1/users/:user_id",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "deleteUser",
				tags: ["users"],
				summary: "Delete a user with their sessions, keys and private dashboards; what else they made stays",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, principal } = request;
			const id = parseUserId(request.params.user_id);
			const user = await getUser(db.read, id);
			refuseWhileOff(principal);
			refuseOwn(principal, id, "Nobody can delete their own account.");
			refuseProtected(user, true);
			await actor.change(async (transaction) => {
				const row = await getUser(transaction, id);
				await assertAnotherAdmin(transaction, row, config);
				// Nobody else could see them.
				await transaction
					.deleteFrom("dashboards")
					.where("owner_id", "=", id)
					.where("visibility", "=", "private")
					.execute();
				await keepKeyNamesOf(transaction, id, now());
				await transaction.deleteFrom("users").where("id", "=", id).execute();
				await auth.audit.recordIn(transaction, {
					action: "user.delete",
					outcome: "success",
					principal,
					request,
					target: userTarget(row),
					details: { role: row.role, auth_method: row.auth_method },
				});
			});
			auth.principals.invalidate();
			return reply.code(204).send(null);
		},
	);

	app.delete(
		"/v1/users/:user_id/binding",
		{
			config: { access: "admin_session", home: "none" },
			schema: {
				operationId: "deleteUserBinding",
				tags: ["users"],
				summary: "Free a user's account from the identity of a provider or directory that it is bound to",
				description:
					"Every session of the user ends. Whoever logs in next with the account's email, which the provider must not call unverified, has the account.",
				params,
				response: { 200: OneUser },
			},
		},
		async (request) => {
			const { actor, principal } = request;
			const id = parseUserId(request.params.user_id);
			await getUser(db.read, id);
			refuseWhileOff(principal);
			const updated = await actor.change(async (transaction) => {
				const before = await getUser(transaction, id);
				assertMayUnbind(before);
				const row = await updateUser(transaction, id, { ...UNBOUND, updated_at: now() });
				await endSessions(transaction, id);
				await auth.audit.recordIn(transaction, {
					action: "user.unbind",
					outcome: "success",
					principal,
					request,
					target: userTarget(row),
					details: {
						auth_method: before.auth_method,
						provider: before.oauth2_provider,
						issuer: before.oauth2_issuer,
						user_id: before.oauth2_user_id ?? before.ldap_unique_id,
					},
				});
				return row;
			});
			auth.principals.invalidate();
			return { data: toUser(updated) };
		},
	);
}

const UNBOUND = {
	oauth2_provider: null,
	oauth2_issuer: null,
	oauth2_client_id: null,
	oauth2_user_id: null,
	ldap_unique_id: null,
} as const;

/** @throws UserError 409 for an account without a binding, and for one that nothing else identifies */
function assertMayUnbind(user: UserRow): void {
	if (!isBound(user)) throw new UserError(409, "not_bound", "This account is not bound to an identity.");
	if (user.email === null) {
		throw new UserError(
			409,
			"binding_needed",
			"This account has no email, so nobody could log in with it without its binding: delete it instead.",
		);
	}
}

/** What is written while there are no accounts would last after authentication is switched on. */
function refuseWhileOff(principal: Principal): void {
	if (principal.kind === "anonymous") throw authenticationIsOff();
}

function refuseSystemRole(role: UserRow["role"] | undefined): void {
	if (role === "SYSTEM") throw new UserError(400, "system_role", "The role SYSTEM cannot be assigned.");
}

function refuseOwn(principal: Principal, id: number, message: string): void {
	if (userOf(principal)?.id === id) throw new UserError(403, "own_account", message);
}

function refuseProtected(user: UserRow, isLasting: boolean): void {
	if (user.role === "SYSTEM") throw new UserError(403, "system_user", "The system's account cannot be changed.");
	if (isLasting && isDefaultAdmin(user)) {
		throw new UserError(403, "default_admin", "The default admin can neither be deleted nor get another role.");
	}
}

function firstLogIn(login: NewUser["login"]): "given_password" | "own_password" | "provider" {
	if (login.method !== "LOCAL") return "provider";
	return login.isRandom ? "own_password" : "given_password";
}

function changesOf(before: UserRow, after: UserRow): Record<string, string> {
	return {
		...(before.username === after.username ? {} : { username_before: before.username }),
		...(before.role === after.role ? {} : { role_before: before.role, role: after.role }),
	};
}
