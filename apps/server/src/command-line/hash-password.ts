import { unmetRules } from "#access/auth/passwords/password-policy.ts";
import { PasswordHasher } from "#access/auth/passwords/passwords.ts";
import { readConfig } from "#base/config.ts";
import { DEFAULT_ADMIN_EMAIL } from "#base/email.ts";
import type { Environment } from "#base/settings/setting.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "./command-error.ts";
import { readSecretly } from "./read-secretly.ts";

/** Prints the hash of a password on standard output, and how to store it in the database on standard error. */
export async function hashPasswordCommand(args: readonly string[], environment: Environment): Promise<void> {
	if (args.length > 0) {
		throw new CommandError(
			EXIT_USAGE,
			"hash-password takes no arguments: everybody on this machine can read the arguments of a process. Type the password at the prompt, or pipe it in.",
		);
	}
	const { SERVICE_ENABLE_STRONG_PASSWORD_POLICY: strong } = environment;
	const policy = readConfig({ SERVICE_ENABLE_STRONG_PASSWORD_POLICY: strong });
	const password = await readSecretly("Password", { isNew: true });
	if (password === "") throw new CommandError(EXIT_DATA, "The password is empty; nothing was hashed.");
	const unmet = unmetRules(password, policy, { username: "", email: null });
	if (unmet.length > 0) {
		process.stderr.write(`Warning: the server would refuse this password: it must ${unmet.join("; ")}.\n`);
	}
	const phc = await new PasswordHasher().hash(password);
	process.stdout.write(`${phc}\n`);
	process.stderr.write(`\n${instructions(phc)}\n`);
}

/** For SQLite and PostgreSQL alike. */
function instructions(phc: string): string {
	return `To make it the password of an account, run this on the database, with the email of the account:

begin;
update users
set password_hash = '${phc}',
    password_due = 0, password_replaced = 1, updated_at = ${Date.now() * 1_000}
where email = '${DEFAULT_ADMIN_EMAIL}' and auth_method = 'LOCAL';
delete from login_sessions where user_id = (select id from users where email = '${DEFAULT_ADMIN_EMAIL}');
delete from password_resets where user_id = (select id from users where email = '${DEFAULT_ADMIN_EMAIL}');
delete from login_attempts;
commit;

SQLite: with sqlite3 on spanward.db in SERVICE_WORKING_DIR, while the server is stopped.
PostgreSQL: with psql, its search_path set to SERVICE_SQL_DATABASE_SCHEMA; servers may go on.
docs/last-resort.md has each command and explains each line.`;
}
