import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Principal } from "#http/principal.ts";
import type { Origin } from "../auth/audit.ts";
import { passwordsAreOff } from "../auth/log-in-sessions/sessions.ts";
import { assertPasswordAllowed, normalizePassword } from "../auth/passwords/password-policy.ts";
import { type NewUser, randomPassword, type UserRow } from "./queries.ts";
import type { CreateUserBody, UpdateOwnUserBody } from "./schemas.ts";
import { userTarget } from "./to-user.ts";

type NewAccount = z.output<typeof CreateUserBody>["user"];

/**
 * How a new user will log in; a local one gets the given password, or one that nobody knows.
 * @throws UserError 403 for a local one while passwords are off, 422 for fields of another method or a weak password
 */
export async function newLogin({ auth, config }: Context, user: NewAccount): Promise<NewUser["login"]> {
	const { auth_method: method, oauth2_client_id: clientId, oauth2_user_id: userId } = user;
	const password = user.password ?? undefined;
	if (method !== "OAUTH2" && (clientId ?? userId ?? null) !== null) {
		throw new UserError(422, "not_oauth2", `oauth2_client_id and oauth2_user_id do not belong to a ${method} user.`);
	}
	if (method === "LOCAL") {
		if (config.SERVICE_DISABLE_BASIC_AUTH) throw passwordsAreOff();
		if (password !== undefined) assertPasswordAllowed(password, config, user);
		const passwordHash = await auth.passwords.hash(password ?? randomPassword());
		return { method, passwordHash, isRandom: password === undefined, isDue: true };
	}
	if (password !== undefined && password !== "") {
		throw new UserError(422, "no_password", `A user who signs in with ${method} has no password here.`);
	}
	const identity = { oauth2_client_id: clientId ?? null, oauth2_user_id: userId ?? null };
	return method === "OAUTH2" ? { method, identity } : { method };
}

/**
 * The hash of a password that an admin gives a user.
 * @throws UserError 403 while passwords are off, 409 for a user without one, 422 for one that breaks the policy
 */
export async function hashGivenPassword(
	{ auth, config }: Context,
	user: UserRow,
	{ username = user.username, password }: { readonly username?: string | undefined; readonly password: string },
): Promise<string> {
	assertHasPassword(user, config);
	assertPasswordAllowed(password, config, { username, email: user.email });
	return await auth.passwords.hash(password);
}

interface ChangeRequest extends Origin {
	readonly principal: Principal;
	readonly body: z.output<typeof UpdateOwnUserBody>;
}

/**
 * The hash of a user's own new password, once they have proven the current one; wrong ones count as failed log-ins.
 * @returns undefined when the request changes no password
 * @throws UserError 403 for a wrong current password, a key instead of a session and while passwords are off, 409 for a
 * user without one, 422 for one that breaks the policy, 429 while the account is locked
 */
export async function proveAndHash(
	{ auth, config }: Context,
	request: ChangeRequest,
	user: UserRow,
): Promise<string | undefined> {
	const { username = user.username, password, current_password: current } = request.body;
	if (password === undefined) return undefined;
	if (request.principal.kind !== "session") {
		throw new UserError(403, "session_needed", "Only its owner can change a password, logged in and not with a key.");
	}
	assertHasPassword(user, config);
	if (current === undefined) {
		throw new UserError(422, "current_password_needed", "Send the current password as current_password too.");
	}
	assertPasswordAllowed(password, config, { username, email: user.email });
	const refuse = (code: string) =>
		auth.audit.record({
			action: "password.change",
			outcome: "failure",
			code,
			principal: request.principal,
			request,
			target: userTarget(user),
		});
	const proven = await auth.lockout
		.attempt("local", user.email ?? "", async () =>
			(await auth.passwords.verify(user.password_hash, current)) ? true : undefined,
		)
		.catch(async (error: unknown) => {
			if (error instanceof UserError && error.code === "login_locked") await refuse(error.code);
			throw error;
		});
	if (proven === undefined) {
		await refuse("wrong_password");
		throw wrongPassword();
	}
	if (normalizePassword(password) === normalizePassword(current)) {
		throw new UserError(422, "password_unchanged", "The new password must differ from the current one.");
	}
	return await auth.passwords.hash(password);
}

export function wrongPassword(): UserError {
	return new UserError(403, "wrong_password", "The current password is wrong.");
}

function assertHasPassword(user: UserRow, config: Context["config"]): void {
	if (user.auth_method !== "LOCAL") {
		throw new UserError(409, "no_password", `A user who signs in with ${user.auth_method} has no password here.`);
	}
	if (config.SERVICE_DISABLE_BASIC_AUTH) throw passwordsAreOff();
}
