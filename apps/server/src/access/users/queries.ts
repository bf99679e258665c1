import { randomBytes } from "node:crypto";
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from "kysely";
import type { Config } from "#base/config.ts";
import { DEFAULT_ADMIN_EMAIL } from "#base/email.ts";
import { notFound, UserError } from "#base/errors.ts";
import { MAX_USERNAME_LENGTH, usernameKey } from "#base/username.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { isOffered } from "../auth/ways-to-log-in.ts";

export type UserRow = Selectable<Tables["users"]>;

/** What a new account is made of; the other columns follow from it. */
export interface NewUser {
	readonly username: string;
	/** Null only for an LDAP user with a unique id. */
	readonly email: string | null;
	readonly role: UserRow["role"];
	/** A PHC string makes the account a local one; an identity binds one that signs in elsewhere. */
	readonly login:
		| { readonly method: "LOCAL"; readonly passwordHash: string; readonly isRandom: boolean; readonly isDue: boolean }
		| { readonly method: "OAUTH2"; readonly identity?: Partial<OAuth2Columns>; readonly picture?: string | undefined }
		| { readonly method: "LDAP"; readonly uniqueId?: string | undefined };
	readonly now: number;
}

/** Who an account is at a provider. */
export type OAuth2Columns = Pick<
	Insertable<Tables["users"]>,
	"oauth2_provider" | "oauth2_issuer" | "oauth2_client_id" | "oauth2_user_id"
>;

/** Users, newest first, from `fromId` downwards, without the system's. */
export async function listUsers(
	db: Kysely<Tables>,
	{ limit, fromId }: { limit: number; fromId?: number | undefined },
): Promise<UserRow[]> {
	let query = db.selectFrom("users").selectAll().where("role", "<>", "SYSTEM").orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	return await query.execute();
}

export async function findUser(db: Kysely<Tables>, id: number): Promise<UserRow | undefined> {
	return await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
}

/** @param email canonical */
export async function findUserByEmail(db: Kysely<Tables>, email: string): Promise<UserRow | undefined> {
	return await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
}

/**
 * The row number in a user's global id.
 * @throws UserError 422
 */
export function parseUserId(text: string): number {
	const id = decodeGlobalId(text, "User");
	if (id === undefined) throw new UserError(422, "invalid_user_id", `Invalid user id: ${text.slice(0, 100)}`);
	return id;
}

/** @throws UserError 404 */
export async function getUser(db: Kysely<Tables>, id: number): Promise<UserRow> {
	const user = await findUser(db, id);
	if (user === undefined) throw notFound("user_not_found", "There is no such user");
	return user;
}

/**
 * Refuses a name or address that another account has.
 * @throws UserError 409 naming the field
 */
export async function assertFree(
	db: Kysely<Tables>,
	{ username, email }: { readonly username?: string | undefined; readonly email?: string },
	exceptId?: number,
): Promise<void> {
	if (email !== undefined && (await findUserByEmail(db, email)) !== undefined) {
		throw new UserError(409, "email_exists", "Email already exists");
	}
	if (username === undefined) return;
	const taken = await db
		.selectFrom("users")
		.select("id")
		.where("username_key", "=", usernameKey(username))
		.executeTakeFirst();
	if (taken !== undefined && taken.id !== exceptId) {
		throw new UserError(409, "username_exists", "Username already exists");
	}
}

/** Undefined when the name or the address is taken. */
export async function insertUser(transaction: Transaction<Tables>, user: NewUser): Promise<UserRow | undefined> {
	const row: Insertable<Tables["users"]> = {
		username: user.username,
		username_key: usernameKey(user.username),
		email: user.email,
		role: user.role,
		auth_method: user.login.method,
		password_hash: user.login.method === "LOCAL" ? user.login.passwordHash : null,
		password_due: user.login.method === "LOCAL" && user.login.isDue ? 1 : 0,
		password_replaced: user.login.method === "LOCAL" && !user.login.isRandom ? 1 : 0,
		oauth2_provider: null,
		oauth2_issuer: null,
		oauth2_client_id: null,
		oauth2_user_id: null,
		...(user.login.method === "OAUTH2" ? user.login.identity : {}),
		ldap_unique_id: user.login.method === "LDAP" ? (user.login.uniqueId ?? null) : null,
		profile_picture_url: user.login.method === "OAUTH2" ? (user.login.picture ?? null) : null,
		created_at: user.now,
		updated_at: user.now,
		last_login_at: null,
	};
	return await transaction
		.insertInto("users")
		.values(row)
		.onConflict((conflict) => conflict.doNothing())
		.returningAll()
		.executeTakeFirst();
}

/** @throws UserError 404 when the user is gone, 409 when the new name is taken */
export async function updateUser(
	transaction: Transaction<Tables>,
	id: number,
	changes: Omit<Updateable<Tables["users"]>, "id" | "email" | "username_key">,
): Promise<UserRow> {
	const { username } = changes;
	await assertFree(transaction, { username }, id);
	const updated = await transaction
		.updateTable("users")
		.set({ ...changes, ...(username === undefined ? {} : { username_key: usernameKey(username) }) })
		.where("id", "=", id)
		.returningAll()
		.executeTakeFirst();
	if (updated === undefined) throw notFound("user_not_found", "There is no such user");
	return updated;
}

/** `name` if it is free, else with the first suffix that makes it free; shortened to leave room for the suffix. */
export async function freeUsername(db: Kysely<Tables>, name: string, suffix: () => string): Promise<string> {
	let candidate = name;
	for (;;) {
		const taken = await db
			.selectFrom("users")
			.select("id")
			.where("username_key", "=", usernameKey(candidate))
			.executeTakeFirst();
		if (taken === undefined) return candidate;
		const end = suffix();
		candidate = `${[...name]
			.slice(0, MAX_USERNAME_LENGTH - end.length)
			.join("")
			.trimEnd()}${end}`;
	}
}

/** The account that is created with the installation and stays. */
export function isDefaultAdmin(user: Pick<UserRow, "email">): boolean {
	return user.email === DEFAULT_ADMIN_EMAIL;
}

/**
 * Whether an admin other than `exceptId` can log in: has a password or an identity, in a way that the settings offer.
 */
export async function hasUsableAdmin(db: Kysely<Tables>, config: Config, exceptId = 0): Promise<boolean> {
	const admins = await db
		.selectFrom("users")
		.selectAll()
		.where("role", "=", "ADMIN")
		.where("id", "<>", exceptId)
		.execute();
	return admins.some(
		(admin) =>
			isOffered(admin, config) && (admin.auth_method === "LOCAL" ? admin.password_replaced === 1 : hasIdentity(admin)),
	);
}

/** Whether an account of a provider or directory is somebody's: it is bound, or a directory's user has logged in. */
function hasIdentity(user: UserRow): boolean {
	return isBound(user) || (user.auth_method === "LDAP" && user.last_login_at !== null);
}

/** Whether an account is bound to an identity of a provider or to an entry of a directory. */
export function isBound(user: Pick<UserRow, "oauth2_issuer" | "ldap_unique_id">): boolean {
	return user.oauth2_issuer !== null || user.ldap_unique_id !== null;
}

/**
 * Refuses to take an admin's rights when nobody could log in as an admin afterwards.
 * @throws UserError 409
 */
export async function assertAnotherAdmin(
	transaction: Transaction<Tables>,
	user: Pick<UserRow, "id" | "role">,
	config: Config,
): Promise<void> {
	if (user.role !== "ADMIN" || (await hasUsableAdmin(transaction, config, user.id))) return;
	throw new UserError(
		409,
		"last_admin",
		"This is the last admin who can log in; give the role to somebody else before taking it here.",
	);
}

/** A password that nobody knows. */
export function randomPassword(): string {
	return randomBytes(32).toString("base64url");
}
