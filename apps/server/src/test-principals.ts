import { randomBytes } from "node:crypto";
import { mintApiKey } from "#access/auth/principals/api-key.ts";
import { findSystemUser } from "#access/auth/principals/find-principals.ts";
import { insertUser } from "#access/users/queries.ts";
import type { WritingContext } from "./context.ts";

/** Settings that authentication needs; `openTestApp` adds them where it is switched on. */
export const TEST_SECRETS = {
	SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop",
	SERVICE_ADMIN_SECRET: "test-admin-secret-0123456789-qrstuvwxyz",
	SERVICE_DISABLE_RATE_LIMIT: "true",
};

/** A user and the headers by which a request is theirs. */
export interface TestPrincipal {
	/** Row number. */
	readonly userId: number;
	readonly username: string;
	readonly email: string;
	/** Row number of the session or key. */
	readonly rowId: number;
	readonly headers: { readonly authorization: string };
}

/** Inserts a user with a session or key; a key of the system for the role SYSTEM. Nobody knows the password. */
export async function signIn(
	context: WritingContext,
	role: "ADMIN" | "MEMBER" | "VIEWER" | "SYSTEM",
	as: "session" | "key",
): Promise<TestPrincipal> {
	const user = role === "SYSTEM" ? await getSystemUser(context) : await createUser(context, role);
	return as === "key" || role === "SYSTEM" ? await withKey(context, user) : await withSession(context, user);
}

/** Marks a user as one who has to set a new password. */
export async function makePasswordDue({ db, auth }: WritingContext, { userId }: TestPrincipal): Promise<void> {
	await db.write((transaction) =>
		transaction.updateTable("users").set({ password_due: 1 }).where("id", "=", userId).execute(),
	);
	auth.principals.invalidate();
}

interface TestUser {
	readonly id: number;
	readonly username: string;
	readonly email: string | null;
	readonly role: string;
}

async function getSystemUser({ db }: WritingContext): Promise<TestUser> {
	const user = await findSystemUser(db.read);
	if (user === undefined) throw new Error("there is no system user: switch authentication on");
	return user;
}

async function createUser({ db, now }: WritingContext, role: "ADMIN" | "MEMBER" | "VIEWER"): Promise<TestUser> {
	const username = `${role.toLowerCase()}-${randomBytes(6).toString("hex")}`;
	const login = { method: "LOCAL", passwordHash: "of no password", isRandom: false, isDue: false } as const;
	const user = { username, email: `${username}@example.com`, role, login, now: now() };
	const created = await db.write((transaction) => insertUser(transaction, user));
	if (created === undefined) throw new Error(`${username} exists`);
	return created;
}

async function withKey({ db, now }: WritingContext, user: TestUser): Promise<TestPrincipal> {
	const kind = user.role === "SYSTEM" ? "system" : "user";
	const minted = mintApiKey(kind);
	const row = {
		kind,
		user_id: user.id,
		created_by: kind === "system" ? null : user.id,
		public_id: minted.publicId,
		secret_hash: minted.hash,
		last_characters: minted.lastCharacters,
		name: "test",
		description: null,
		created_at: now(),
		expires_at_ms: null,
		last_used_at: null,
	} as const;
	const { id } = await db.write((transaction) =>
		transaction.insertInto("api_keys").values(row).returning("id").executeTakeFirstOrThrow(),
	);
	return toPrincipal(user, id, minted.key);
}

async function withSession({ auth, db }: WritingContext, user: TestUser): Promise<TestPrincipal> {
	const from = { ip: "127.0.0.1", id: "test", headers: {} };
	const session = await db.write((transaction) => auth.sessions.open(transaction, user.id, "LOCAL", from));
	const { access } = await auth.sessions.pairOf(session);
	return toPrincipal(user, session.id, access.token);
}

function toPrincipal(user: TestUser, rowId: number, token: string): TestPrincipal {
	const { id, username, email } = user;
	return { userId: id, username, email: email ?? "", rowId, headers: { authorization: `Bearer ${token}` } };
}
