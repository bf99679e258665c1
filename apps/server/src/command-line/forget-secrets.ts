import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { AuditLog } from "#access/auth/audit.ts";
import { SecretBox } from "#access/auth/secret-box.ts";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { forgetFormerSecret, hasSecretCheck } from "#access/secrets/canary.ts";
import { ConfigError, readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { openStorage } from "#storage/open-storage.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "./command-error.ts";

const CONFIRMED = "--yes";

/**
 * Accepts a `SERVICE_SECRET` that is not the one of the database, and deletes the stored secrets that it does not decrypt.
 * Servers on the same PostgreSQL that run with the former one have to be stopped before: they would still use it.
 */
export async function forgetSecretsCommand(args: readonly string[], environment: Environment): Promise<void> {
	if (args.some((arg) => arg !== CONFIRMED)) {
		throw new CommandError(EXIT_USAGE, `forget-secrets takes no arguments but ${CONFIRMED}.`);
	}
	const config = readConfig(environment, { listens: false });
	const keys = deriveSigningKeys(config);
	if (keys === undefined) throw new ConfigError(["forget-secrets needs SERVICE_SECRET, the new one"]);
	const postgres = postgresSettings(config);
	if (postgres === undefined) assertDatabaseIn(config.SERVICE_WORKING_DIR);
	if (!args.includes(CONFIRMED)) await confirm(postgres === undefined ? config.SERVICE_WORKING_DIR : "the database");
	await using storage = await openStorage(config, postgres, (sentence) => process.stderr.write(`${sentence}\n`));
	if (!(await hasSecretCheck(storage.db.read))) {
		throw new CommandError(EXIT_DATA, "This database was never used with a SERVICE_SECRET: nothing was done.");
	}
	const audit = new AuditLog(storage.db, () => Date.now() * 1_000);
	const forgotten = await forgetFormerSecret(storage.db, keys, new SecretBox(keys), audit);
	process.stdout.write(
		forgotten.length === 0
			? "SERVICE_SECRET is accepted; no stored secret had to be deleted.\n"
			: `SERVICE_SECRET is accepted; deleted ${forgotten.length} stored secrets: ${forgotten.join(", ")}\n`,
	);
}

/** Opening would make an empty database there, and accept the secret for that. */
function assertDatabaseIn(folder: string): void {
	if (existsSync(join(folder, DATABASE_FILE))) return;
	throw new CommandError(
		EXIT_DATA,
		`There is no ${DATABASE_FILE} in ${folder}: set SERVICE_WORKING_DIR to the folder of the server.`,
	);
}

/** Asks on a terminal; a script means what it says. */
async function confirm(place: string): Promise<void> {
	if (!process.stdin.isTTY) return;
	const terminal = createInterface({ input: process.stdin, output: process.stderr });
	const answer = await terminal.question(
		`Stored secrets in ${place} that SERVICE_SECRET and SERVICE_SECRET_PREVIOUS do not decrypt will be deleted. Type yes: `,
	);
	terminal.close();
	if (answer.trim().toLowerCase() !== "yes") throw new CommandError(1, "Nothing was done.");
}
