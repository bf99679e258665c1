import { z } from "zod";
import { canonicalEmail } from "../auth/email.ts";
import { assertPasswordAllowed, normalizePassword } from "../auth/password-policy.ts";
import type { Principal } from "../auth/principal.ts";
import type { Context } from "../context.ts";
import { UserError } from "../errors.ts";
import type { App } from "../http/app-type.ts";
import { getUser, type UserRow, updateUser } from "./queries.ts";
import { AnonymousUser, OwnUser, UpdateOwnUserBody, User } from "./schemas.ts";
import { toUser } from "./to-user.ts";

/** One's own account. */
export function ownUserRoutes(app: App, context: Context): void {
	const { auth, config, db, now } = context;

	app.get(
		"/v1/user",
		{
			config: { access: "account" },
			schema: {
				operationId: "getViewer",
				tags: ["users"],
				summary: "Fetch the user on whose behalf the request comes",
				response: { 200: z.object({ data: z.union([OwnUser, AnonymousUser]) }) },
			},
		},
		async ({ principal }) => {
			if (principal.kind === "anonymous") return { data: { auth_method: "ANONYMOUS" as const } };
			const row = await getUser(db.read, principal.user.id);
			const management = managementUrl(principal, row);
			return {
				data: {
					...toUser(row),
					credential: principal.kind,
					...(management === undefined ? {} : { management_url: management }),
				},
			};
		},
	);

	app.patch(
		"/v1/user",
		{
			config: { access: "own_account", whenOff: "refused" },
			schema: {
				operationId: "updateViewer",
				tags: ["users"],
				summary: "Change one's own name or password; a new password ends every other session",
				body: UpdateOwnUserBody,
				response: { 200: z.object({ data: User }) },
			},
		},
		async (request, reply) => {
			const { principal, body } = request;
			if (principal.kind !== "session" && principal.kind !== "user_key") {
				throw new UserError(403, "not_a_person", "The system's account is changed by its settings.");
			}
			const user = await getUser(db.read, principal.user.id);
			const change = await provePasswordChange(context, request, user);
			const updated = await db.write(async (transaction) => {
				const before = await getUser(transaction, user.id);
				// Whoever set another password meanwhile had the last word.
				if (change !== undefined && before.password_hash !== user.password_hash) throw wrongPassword();
				const row = await updateUser(transaction, user.id, {
					...(body.username === undefined ? {} : { username: body.username }),
					...(change === undefined ? {} : { password_hash: change, password_due: 0, password_replaced: 1 }),
					updated_at: now(),
				});
				const entry = {
					outcome: "success",
					principal,
					request,
					target: { type: "user", id: row.id, name: row.username },
				} as const;
				if (row.username !== before.username) {
					const details = { username_before: before.username };
					await auth.audit.recordIn(transaction, { action: "user.update", ...entry, details });
				}
				if (change !== undefined) {
					await transaction.deleteFrom("password_resets").where("user_id", "=", user.id).execute();
					await auth.audit.recordIn(transaction, { action: "password.change", ...entry });
				}
				return row;
			});
			auth.principals.invalidate();
			void reply;
			return { data: toUser(updated) };
		},
	);

	/** The hash of the new password, once the current one is proven; undefined when the request changes none. */
	async function provePasswordChange(
		_context: Context,
		request: { readonly principal: Principal; readonly body: z.output<typeof UpdateOwnUserBody> } & Parameters<
			typeof auth.audit.record
		>[0]["request"],
		user: UserRow,
	): Promise<string | undefined> {
		const { password, current_password: current } = request.body;
		if (password === undefined) return undefined;
		if (request.principal.kind !== "session") {
			throw new UserError(403, "session_needed", "A password is changed by its owner, logged in; not with a key.");
		}
		if (user.auth_method !== "LOCAL") {
			throw new UserError(409, "no_password", `A user who signs in by ${user.auth_method} has no password here.`);
		}
		if (config.SERVICE_DISABLE_BASIC_AUTH) {
			throw new UserError(403, "basic_auth_disabled", "Passwords are off (SERVICE_DISABLE_BASIC_AUTH).");
		}
		if (current === undefined) throw new UserError(422, "current_password_needed", "current_password is missing.");
		assertPasswordAllowed(password, config, user);
		const proven = await auth.lockout.attempt("local", user.email ?? "", async () =>
			(await auth.passwords.verify(user.password_hash, current)) ? true : undefined,
		);
		if (proven === undefined) {
			await auth.audit.record({
				action: "password.change",
				outcome: "failure",
				code: "wrong_password",
				principal: request.principal,
				request,
				target: { type: "user", id: user.id, name: user.username },
			});
			throw wrongPassword();
		}
		if (normalizePassword(password) === normalizePassword(current)) {
			throw new UserError(422, "password_unchanged", "The new password must differ from the current one.");
		}
		return await auth.passwords.hash(password);
	}

	/** Told to those whom the operator named, and to nobody else. */
	function managementUrl(principal: Principal, user: UserRow): string | undefined {
		if (config.SERVICE_MANAGEMENT_URL === null || user.email === null) return undefined;
		if (principal.kind !== "session" && principal.kind !== "user_key") return undefined;
		const isListed = config.SERVICE_ADMINS.some(({ email }) => canonicalEmail(email) === user.email);
		return isListed ? config.SERVICE_MANAGEMENT_URL : undefined;
	}
}

function wrongPassword(): UserError {
	return new UserError(403, "wrong_password", "The current password is wrong.");
}
