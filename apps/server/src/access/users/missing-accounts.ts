import { randomInt } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { ConfigError } from "#base/config.ts";
import { DEFAULT_ADMIN_EMAIL, SYSTEM_EMAIL } from "#base/email.ts";
import { usernameKey } from "#base/username.ts";
import type { WritingContext } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import { DEFAULT_ADMIN_PASSWORD } from "../auth/passwords/default-password.ts";
import { unmetRules } from "../auth/passwords/password-policy.ts";
import { freeUsername, hasUsableAdmin, insertUser, randomPassword, type UserRow } from "./queries.ts";

type Needs = Pick<WritingContext, "config" | "db" | "auth" | "log" | "now">;

/**
 * Creates the accounts that a start with authentication finds missing: the system's, `admin@localhost` when there is no
 * admin, and those of `SERVICE_ADMINS`. Accounts that exist are left as they are.
 * @throws ConfigError when the first password of `admin@localhost` breaks the policy
 */
export async function createMissingAccounts({ config, db, auth, log, now }: Needs): Promise<void> {
	const before = await findMissing(db.read);
	const adminHash = before.admin ? await auth.passwords.hash(firstPassword(config)) : undefined;
	const randomHash = () => auth.passwords.hash(randomPassword());
	const systemHash = before.system ? await randomHash() : undefined;
	const isLocal = !config.SERVICE_DISABLE_BASIC_AUTH;
	const isOnlyLdap = config.SERVICE_LDAP_HOST.length > 0 && config.OAUTH2_PROVIDERS.length === 0;
	const elsewhere = isOnlyLdap ? "LDAP" : "OAUTH2";
	const listed: { username: string; email: string; hash: string | undefined }[] = [];
	// One after the other, as the hasher refuses when hundreds wait.
	for (const { username, email } of config.SERVICE_ADMINS) {
		const isNew = !(await hasAccount(db.read, username, email));
		listed.push({ username, email, hash: isNew && isLocal ? await randomHash() : undefined });
	}

	const { created, present, isPromoted } = await db.write(async (transaction) => {
		const created: UserRow[] = [];
		const present: string[] = [];
		const create = async (user: Parameters<typeof insertUser>[1]) => {
			const row = await insertUser(transaction, user);
			if (row === undefined) return;
			created.push(row);
			await auth.audit.recordIn(transaction, {
				action: "user.create",
				outcome: "success",
				target: { type: "user", id: row.id, name: row.username },
				details: { role: row.role, at: "start" },
			});
		};
		// Read again where nobody else writes: another process may have started at the same time.
		const missing = await findMissing(transaction);
		if (missing.system && systemHash !== undefined) {
			const login = { method: "LOCAL", passwordHash: systemHash, isRandom: true, isDue: false } as const;
			await create({ username: "system", email: SYSTEM_EMAIL, role: "SYSTEM", login, now: now() });
		}
		const isPromoted = missing.admin && adminHash !== undefined && (await promoteDefaultAdmin(transaction, now()));
		if (missing.admin && adminHash !== undefined && !isPromoted) {
			const login = { method: "LOCAL", passwordHash: adminHash, isRandom: false, isDue: true } as const;
			const username = await freeUsername(transaction, "admin", () => `-${randomInt(10_000, 100_000)}`);
			await create({ username, email: DEFAULT_ADMIN_EMAIL, role: "ADMIN", login, now: now() });
		}
		for (const { username, email, hash } of listed) {
			if (await hasAccount(transaction, username, email)) {
				present.push(username);
			} else if (!isLocal) {
				await create({ username, email, role: "ADMIN", login: { method: elsewhere }, now: now() });
			} else if (hash !== undefined) {
				const login = { method: "LOCAL", passwordHash: hash, isRandom: true, isDue: true } as const;
				await create({ username, email, role: "ADMIN", login, now: now() });
			}
		}
		return { created, present, isPromoted };
	});
	if (isPromoted) log.warn(`there was no admin: ${DEFAULT_ADMIN_EMAIL} is an admin again`);
	for (const username of present) {
		log.info(
			{ username },
			"an account with this name or email from SERVICE_ADMINS already exists and is left as it is",
		);
	}
	for (const row of created) {
		log.info({ username: row.username, role: row.role }, "created an account");
		const isListed = listed.some(({ email }) => email === row.email);
		if (isListed) auth.userMails.welcome(row, row.auth_method === "LOCAL" ? "own_password" : "provider");
	}
	if (isLocal) await warnOfFirstPassword(db.read, auth, log);
	else await warnOfNoAdmin(db.read, config, log);
}

/** Without a warning nobody would notice until an admin is needed. */
async function warnOfNoAdmin(db: Kysely<Tables>, config: Needs["config"], log: Needs["log"]): Promise<void> {
	if (await hasUsableAdmin(db, config)) return;
	const admins = await db.selectFrom("users").selectAll().where("role", "=", "ADMIN").execute();
	const expected = admins.filter(
		({ auth_method: method, oauth2_issuer: issuer }) =>
			(method === "OAUTH2" && issuer === null && config.OAUTH2_PROVIDERS.length > 0) ||
			(method === "LDAP" && config.SERVICE_LDAP_HOST.length > 0),
	);
	if (expected.length > 0) {
		log.info(
			{ admins: expected.length },
			"admins were created who have not yet logged in with a provider or directory",
		);
		return;
	}
	log.warn(
		"SERVICE_DISABLE_BASIC_AUTH is true and no admin can log in another way: name somebody who has no account yet in " +
			"SERVICE_ADMINS, let the provider or directory give somebody the role ADMIN, or use SERVICE_ADMIN_SECRET",
	);
}

/** Log-in refuses the default password from other machines: operators need to know why, and where to log in instead. */
async function warnOfFirstPassword(db: Kysely<Tables>, auth: Needs["auth"], log: Needs["log"]): Promise<void> {
	const row = await db
		.selectFrom("users")
		.select("password_hash")
		.where("email", "=", DEFAULT_ADMIN_EMAIL)
		.where("password_due", "=", 1)
		.executeTakeFirst();
	if (row === undefined || !(await auth.passwords.verify(row.password_hash, DEFAULT_ADMIN_PASSWORD))) return;
	log.warn(
		`${DEFAULT_ADMIN_EMAIL} still has the default password: it can log in on this machine only ` +
			"(http://localhost, or a tunnel to it) until the password is changed; on a new server " +
			"SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD sets it",
	);
}

/** `admin` is exempt from the policy, as it has to be replaced at the first log-in. */
function firstPassword(config: Needs["config"]): string {
	const configured = config.SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD?.reveal() ?? DEFAULT_ADMIN_PASSWORD;
	if (configured === DEFAULT_ADMIN_PASSWORD) return configured;
	const unmet = unmetRules(configured, config, { username: "admin", email: DEFAULT_ADMIN_EMAIL });
	if (unmet.length === 0) return configured;
	throw new ConfigError([`SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD must ${unmet.join("; ")}`]);
}

async function findMissing(db: Kysely<Tables>): Promise<{ readonly system: boolean; readonly admin: boolean }> {
	const rows = await db
		.selectFrom("users")
		.select("role")
		.distinct()
		.where("role", "in", ["SYSTEM", "ADMIN"])
		.execute();
	const has = (role: string) => rows.some((row) => row.role === role);
	return { system: !has("SYSTEM"), admin: !has("ADMIN") };
}

/** Gives `admin@localhost` its role back, which somebody took in the database, when there is no other admin. */
async function promoteDefaultAdmin(transaction: Transaction<Tables>, now: number): Promise<boolean> {
	const promoted = await transaction
		.updateTable("users")
		.set({ role: "ADMIN", updated_at: now })
		.where("email", "=", DEFAULT_ADMIN_EMAIL)
		.returning("id")
		.executeTakeFirst();
	return promoted !== undefined;
}

async function hasAccount(db: Kysely<Tables>, username: string, email: string): Promise<boolean> {
	const row = await db
		.selectFrom("users")
		.select("id")
		.where((where) => where.or([where("email", "=", email), where("username_key", "=", usernameKey(username))]))
		.executeTakeFirst();
	return row !== undefined;
}
