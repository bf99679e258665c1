import type { FastifyRequest } from "fastify";
import { canonicalEmail, DEFAULT_ADMIN_EMAIL } from "#base/email.ts";
import { UserError } from "#base/errors.ts";
import { isFromThisMachine } from "#base/loopback.ts";
import type { WritingContext } from "#context.ts";
import type { Database } from "#storage/database.ts";
import type { TokenPair } from "../auth/log-in-sessions/sessions.ts";
import { DEFAULT_ADMIN_PASSWORD } from "../auth/passwords/default-password.ts";

const DEFAULT_PASSWORD_REFUSED =
	"This account still has the default password, so it can log in only on the server's own machine. Log in there, at http://localhost:<port> or through a tunnel to it (ssh -L, kubectl port-forward), and set a new password; or set one with SERVICE_ADMIN_SECRET. SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD sets the initial password of a new server.";

interface Account {
	readonly id: number;
	readonly username: string;
	/** Null for an account without a password. */
	readonly passwordHash: string | null;
}

/**
 * Opens a session for a person with the right email and password. For accounts that do not exist it takes as long and
 * answers the same.
 * @throws UserError 401 for wrong ones, 429 while the account is locked, 503 while too many log in, 403 for the default
 * password from another machine
 */
export async function logIn(
	{ auth, db }: WritingContext,
	request: FastifyRequest,
	credentials: { readonly email: string; readonly password: string },
): Promise<TokenPair> {
	const { passwords, sessions, audit } = auth;
	const email = canonicalEmail(credentials.email);
	const account = await findAccount(db, email);
	// What was typed for an account that does not exist may be a password, so it is not recorded.
	const target = account && { type: "user" as const, id: account.id, name: account.username };
	const about = { request, ...(target === undefined ? {} : { target }) };

	const verified = await auth.lockout
		.attempt("local", email, async () => {
			const matches = await passwords.verify(account?.passwordHash ?? null, credentials.password);
			return matches ? account : undefined;
		})
		.catch(async (error: unknown) => {
			if (error instanceof UserError && error.code === "login_locked") {
				await audit.record({ ...about, action: "login.locked", outcome: "denied", code: error.code });
			}
			throw error;
		});
	if (email === DEFAULT_ADMIN_EMAIL && verified !== undefined) await refuseKnownPassword(verified);
	const session = verified === undefined ? undefined : await openSession(verified);
	if (session === undefined) {
		await audit.record({ ...about, action: "login", outcome: "failure", code: "invalid_login" });
		throw new UserError(401, "invalid_login", "Wrong email or password");
	}
	return await sessions.pairOf(session);

	/** Checks the stored password rather than the typed one: other texts may lead to the same password. */
	async function refuseKnownPassword({ passwordHash }: Account): Promise<void> {
		const isLocal = isFromThisMachine(request.raw);
		if (isLocal || !(await passwords.verify(passwordHash, DEFAULT_ADMIN_PASSWORD))) return;
		await audit.record({ ...about, action: "login", outcome: "denied", code: "default_password" });
		throw new UserError(403, "default_password", DEFAULT_PASSWORD_REFUSED);
	}

	/** Undefined when the password was changed while it was checked. */
	async function openSession({ id, username, passwordHash }: Account) {
		const newHash =
			passwordHash !== null && passwords.isOutdated(passwordHash)
				? await passwords.hash(credentials.password)
				: passwordHash;
		return await db.write(async (transaction) => {
			const user = await transaction
				.updateTable("users")
				.set({ password_hash: newHash })
				.where("id", "=", id)
				.where("password_hash", "=", passwordHash)
				.returning(["email", "role", "auth_method", "password_due"])
				.executeTakeFirst();
			if (user === undefined) return undefined;
			const opened = await sessions.open(transaction, id, "LOCAL", request);
			await audit.recordIn(transaction, {
				...about,
				action: "login",
				outcome: "success",
				principal: {
					kind: "session",
					user: { id, username, email: user.email, role: user.role, authMethod: user.auth_method },
					sessionId: opened.id,
					passwordDue: user.password_due === 1,
					expiresAt: opened.access_expires_at,
				},
			});
			return opened;
		});
	}
}

async function findAccount(db: Database, email: string): Promise<Account | undefined> {
	const row = await db.read
		.selectFrom("users")
		.select(["id", "username", "role", "auth_method", "password_hash"])
		.where("email", "=", email)
		.executeTakeFirst();
	if (row === undefined) return undefined;
	const hasPassword = row.role !== "SYSTEM" && row.auth_method === "LOCAL";
	return { id: row.id, username: row.username, passwordHash: hasPassword ? row.password_hash : null };
}
