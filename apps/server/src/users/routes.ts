import { z } from "zod";
import { assertPasswordAllowed } from "../auth/password-policy.ts";
import { type Principal, userOf } from "../auth/principal.ts";
import type { Context } from "../context.ts";
import { UserError } from "../errors.ts";
import { authenticationIsOff } from "../http/access-policy.ts";
import type { App } from "../http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "../http/cursors.ts";
import { cursorParam, limitParam } from "../http/query-params.ts";
import {
	assertAnotherAdmin,
	assertFree,
	getUser,
	insertUser,
	isDefaultAdmin,
	listUsers,
	type NewUser,
	parseUserId,
	randomPassword,
	type UserRow,
	updateUser,
} from "./queries.ts";
import { CreateUserBody, UpdateUserBody, User } from "./schemas.ts";
import { toUser } from "./to-user.ts";

const OneUser = z.object({ data: User });
const params = z.object({ user_id: z.string() });

/** Accounts, for admins. */
export function userRoutes(app: App, context: Context): void {
	const { auth, config, db, now } = context;

	app.get(
		"/v1/users",
		{
			config: { access: "admin" },
			schema: {
				operationId: "getUsers",
				tags: ["users"],
				summary: "Page through users, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(User).meta({ id: "UserPage" }) },
			},
		},
		async ({ query }) => {
			const fromId = decodeIdCursor("User", query.cursor);
			const rows = await listUsers(db.read, { limit: query.limit + 1, fromId });
			const page = pageById("User", rows, query.limit);
			return { data: page.items.map(toUser), next_cursor: page.next_cursor };
		},
	);

	app.post(
		"/v1/users",
		{
			config: { access: "admin" },
			schema: {
				operationId: "createUser",
				tags: ["users"],
				summary: "Create a user",
				body: CreateUserBody,
				response: { 201: OneUser },
			},
		},
		async (request, reply) => {
			const { principal, body } = request;
			refuseWhileOff(principal);
			refuseSystemRole(body.user.role);
			await assertFree(db.read, body.user);
			const login = await newLogin(context, body.user);
			const created = await db.write(async (transaction) => {
				await assertFree(transaction, body.user);
				const { username, email, role } = body.user;
				const row = await insertUser(transaction, { username, email, role, login, now: now() });
				if (row === undefined) throw new UserError(409, "user_exists", "This user already exists");
				await auth.audit.recordIn(transaction, {
					action: "user.create",
					outcome: "success",
					principal,
					request,
					target: target(row),
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
			config: { access: "admin" },
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
			const { principal, body } = request;
			const id = parseUserId(request.params.user_id);
			const user = await getUser(db.read, id);
			refuseWhileOff(principal);
			refuseSystemRole(body.role);
			if ((body.role !== undefined || body.password !== undefined) && principal.kind === "user_key") {
				throw new UserError(
					403,
					"session_needed",
					"Roles and passwords are changed by an admin who is logged in, or with the admin secret; not with a key.",
				);
			}
			refuseOwn(principal, id, "Change your own account with PATCH /v1/user.");
			refuseProtected(user, body.role !== undefined && body.role !== user.role);
			const passwordHash = await newPasswordHash(context, user, body.password);

			const updated = await db.write(async (transaction) => {
				const before = await getUser(transaction, id);
				if (body.role !== undefined && body.role !== "ADMIN") await assertAnotherAdmin(transaction, before, config);
				const row = await updateUser(transaction, id, {
					...(body.username === undefined ? {} : { username: body.username }),
					...(body.role === undefined ? {} : { role: body.role }),
					...(passwordHash === undefined ? {} : { password_hash: passwordHash, password_due: 1, password_replaced: 1 }),
					updated_at: now(),
				});
				if (passwordHash !== undefined) {
					await transaction.deleteFrom("password_resets").where("user_id", "=", id).execute();
					await auth.lockout.clear(transaction, "local", row.email ?? "");
				}
				if (passwordHash !== undefined || row.role !== before.role) {
					await transaction.deleteFrom("login_sessions").where("user_id", "=", id).execute();
				}
				await auth.audit.recordIn(transaction, {
					action: "user.update",
					outcome: "success",
					principal,
					request,
					target: target(row),
					details: changesOf(before, row, passwordHash !== undefined),
				});
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
			config: { access: "admin" },
			schema: {
				operationId: "deleteUser",
				tags: ["users"],
				summary: "Delete a user with their sessions and keys; what they made stays",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { principal } = request;
			const id = parseUserId(request.params.user_id);
			const user = await getUser(db.read, id);
			refuseWhileOff(principal);
			refuseOwn(principal, id, "Nobody can delete their own account.");
			refuseProtected(user, true);
			await db.write(async (transaction) => {
				const row = await getUser(transaction, id);
				await assertAnotherAdmin(transaction, row, config);
				await transaction.deleteFrom("users").where("id", "=", id).execute();
				await auth.audit.recordIn(transaction, {
					action: "user.delete",
					outcome: "success",
					principal,
					request,
					target: target(row),
					details: { role: row.role, auth_method: row.auth_method },
				});
			});
			auth.principals.invalidate();
			return reply.code(204).send(null);
		},
	);
}

/** What is written while nobody has an account would outlive the switch. */
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
	if (user.role === "SYSTEM") throw new UserError(403, "system_user", "The system's account stays as it is.");
	if (isLasting && isDefaultAdmin(user)) {
		throw new UserError(403, "default_admin", "The default admin cannot be deleted, nor get another role.");
	}
}

async function newLogin(
	{ auth, config }: Context,
	user: z.output<typeof CreateUserBody>["user"],
): Promise<NewUser["login"]> {
	const password = user.password ?? undefined;
	if (user.auth_method === "LOCAL") {
		if (config.SERVICE_DISABLE_BASIC_AUTH) throw basicAuthDisabled();
		if ((user.oauth2_client_id ?? user.oauth2_user_id ?? null) !== null) throw foreignLogin(user.auth_method);
		if (password !== undefined) assertPasswordAllowed(password, config, user);
		const passwordHash = await auth.passwords.hash(password ?? randomPassword());
		return { method: "LOCAL", passwordHash, isRandom: password === undefined, isDue: true };
	}
	if (password !== undefined && password !== "") {
		throw new UserError(422, "no_password", `A user who signs in by ${user.auth_method} has no password here.`);
	}
	if (user.auth_method === "OAUTH2") {
		return { method: "OAUTH2", clientId: user.oauth2_client_id ?? null, userId: user.oauth2_user_id ?? null };
	}
	if ((user.oauth2_client_id ?? user.oauth2_user_id ?? null) !== null) throw foreignLogin(user.auth_method);
	return { method: "LDAP" };
}

function foreignLogin(method: string): UserError {
	return new UserError(422, "not_oauth2", `oauth2_client_id and oauth2_user_id do not belong to a user of ${method}.`);
}

function firstLogIn(login: NewUser["login"]): "given_password" | "own_password" | "provider" {
	if (login.method !== "LOCAL") return "provider";
	return login.isRandom ? "own_password" : "given_password";
}

/** @throws UserError 403 while passwords are off, 409 for a user without one, 422 when it breaks the policy */
async function newPasswordHash(
	{ auth, config }: Context,
	user: UserRow,
	password: string | undefined,
): Promise<string | undefined> {
	if (password === undefined) return undefined;
	if (config.SERVICE_DISABLE_BASIC_AUTH) throw basicAuthDisabled();
	if (user.auth_method !== "LOCAL") {
		throw new UserError(409, "no_password", `A user who signs in by ${user.auth_method} has no password here.`);
	}
	assertPasswordAllowed(password, config, user);
	return await auth.passwords.hash(password);
}

function basicAuthDisabled(): UserError {
	return new UserError(
		403,
		"basic_auth_disabled",
		"Passwords are off (SERVICE_DISABLE_BASIC_AUTH): users sign in by OAuth2 or LDAP.",
	);
}

function changesOf(before: UserRow, after: UserRow, password: boolean): Record<string, string | boolean> {
	return {
		...(before.username === after.username ? {} : { username_before: before.username }),
		...(before.role === after.role ? {} : { role_before: before.role, role: after.role }),
		...(password ? { password: true } : {}),
	};
}

function target(user: UserRow): { type: "user"; id: number; name: string } {
	return { type: "user", id: user.id, name: user.username };
}
