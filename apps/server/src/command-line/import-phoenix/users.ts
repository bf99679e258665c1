import { PasswordHasher } from "#access/auth/passwords/passwords.ts";
import { findUserByEmail, insertUser, type NewUser, randomPassword } from "#access/users/queries.ts";
import { canonicalEmail, DEFAULT_ADMIN_EMAIL, isBuiltInEmail, isEmail } from "#base/email.ts";
import { cleanUsername } from "#base/username.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import } from "./target.ts";
import { microsOf, textOf } from "./values.ts";

const COLUMNS = ["username", "email", "auth_method", "oauth2_user_id", "ldap_unique_id", "created_at"];
const ROLES = ["ADMIN", "MEMBER", "VIEWER"] as const;

/**
 * Imports accounts by email. Passwords cannot be imported: local accounts get one that nobody knows, and have to reset
 * it. Accounts of providers and directories are bound by email at the next log-in.
 */
export async function importUsers({ source, storage, report, users }: Import): Promise<void> {
	const { db } = storage;
	const hasAdmin =
		(await db.read.selectFrom("users").select("id").where("role", "=", "ADMIN").executeTakeFirst()) !== undefined;
	const hasher = new PasswordHasher();
	const joins = "join user_roles on user_roles.id = users.user_role_id";
	for await (const rows of readTable(source, "users", COLUMNS, { joins, more: "user_roles.name as role" })) {
		for (const row of rows) {
			const email = canonicalEmail(textOf(row["email"]) ?? "");
			const role = ROLES.find((known) => known === row["role"]);
			const known = await findUserByEmail(db.read, email);
			if (known !== undefined) users.set(Number(row["id"]), known.id);
			if (role === undefined || isBuiltInEmail(email)) {
				if (email === DEFAULT_ADMIN_EMAIL && known === undefined)
					report.leave(`user ${DEFAULT_ADMIN_EMAIL}: the server creates its own when it starts with authentication`);
				continue;
			}
			report.count("users", 1, 0);
			if (known !== undefined) continue;
			if (!hasAdmin) {
				report.leave(
					"users: start the server once with authentication on, which creates its first admin, then import again",
				);
				continue;
			}
			if (!isEmail(email)) {
				report.leave("users without an email that can receive mail");
				continue;
			}
			const login = await loginOf(row, hasher);
			const username = cleanUsername(textOf(row["username"]) ?? email);
			const now = microsOf(row["created_at"]);
			const created = await db.write((transaction) => insertUser(transaction, { username, email, role, login, now }));
			if (created === undefined) {
				report.leave(`user ${email}: somebody else has the name ${username}`);
				continue;
			}
			users.set(Number(row["id"]), created.id);
			report.count("users", 0, 1);
			if (login.method === "LOCAL")
				report.leave("users get a new password: by mail from the log-in page, or from an admin");
		}
	}
}

async function loginOf(row: SourceRow, hasher: PasswordHasher): Promise<NewUser["login"]> {
	if (row["auth_method"] === "OAUTH2") return { method: "OAUTH2" };
	if (row["auth_method"] === "LDAP") {
		const uniqueId = textOf(row["ldap_unique_id"]);
		return { method: "LDAP", ...(uniqueId === null ? {} : { uniqueId }) };
	}
	return { method: "LOCAL", passwordHash: await hasher.hash(randomPassword()), isRandom: true, isDue: true };
}
