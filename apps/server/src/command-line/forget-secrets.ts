import { existsSync } from "node:fs";
import { join } from "node:path";
import { AuditLog } from "#access/auth/audit.ts";
import { SecretBox } from "#access/auth/secret-box.ts";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { forgetFormerSecret, hasSecretCheck, isSecretOf } from "#access/secrets/canary.ts";
import { ConfigError, readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { backUp } from "#storage/copy/backup.ts";
import { openMetadata } from "#storage/open-storage.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { listLost, namesOfLost } from "./lost-secrets.ts";
import { readArguments } from "./read-arguments.ts";
import { confirmed } from "./sqlite-folder.ts";

/**
 * Accepts a `SERVICE_SECRET` that differs from the one of the database, and deletes the stored secrets that it cannot
 * decrypt, after a backup with SQLite.
 * Servers on the same PostgreSQL database have to be stopped before, as they would still use the former secret.
 */
export async function forgetSecretsCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags } = readArguments(args, "forget-secrets [--yes]", { flags: ["yes"] });
	const config = readConfig(environment, { listens: false });
	const keys = deriveSigningKeys(config);
	if (keys === undefined) throw new ConfigError(["forget-secrets needs SERVICE_SECRET, the new one"]);
	const postgres = postgresSettings(config);
	if (postgres === undefined) assertDatabaseIn(config.SERVICE_WORKING_DIR);
	await using storage = await openMetadata(config, postgres, (sentence) => process.stderr.write(`${sentence}\n`));
	const { read } = storage.db;
	if (!(await hasSecretCheck(read))) {
		throw new CommandError(EXIT_DATA, "This database was never used with a SERVICE_SECRET: nothing was done.");
	}
	const box = new SecretBox(keys);
	const lost = await listLost(read, box);
	if (lost.length > 0 || !(await isSecretOf(read, keys))) {
		const folder = postgres === undefined ? config.SERVICE_WORKING_DIR : undefined;
		if (!flags.has("yes")) await confirmed(questionOf(lost, folder));
		if (folder !== undefined) process.stdout.write(`${await copyBefore(folder)} is the database as it was before.\n`);
	}
	const audit = new AuditLog(storage.db, () => Date.now() * 1_000);
	const { secrets, credentials } = await forgetFormerSecret(storage.db, keys, box, audit);
	const forgotten = namesOfLost(secrets, credentials);
	process.stdout.write(
		forgotten.length === 0
			? "SERVICE_SECRET is accepted; no stored secret had to be deleted.\n"
			: `SERVICE_SECRET is accepted; deleted ${forgotten.length} stored secrets: ${forgotten.join(", ")}\n`,
	);
}

function questionOf(lost: readonly string[], folder: string | undefined): string {
	const secrets =
		lost.length === 0
			? "No stored secret is lost"
			: `SERVICE_SECRET and SERVICE_SECRET_PREVIOUS cannot decrypt ${lost.length} stored secrets, which will be deleted: ${lost.join(", ")}`;
	const copy =
		folder === undefined
			? "There will be no copy: make one with pg_dump first (docs/backup.md)."
			: `A backup is made in ${folder} first.`;
	return `${secrets}.\nEverybody has to log in again. If you find the old secret, set it as SERVICE_SECRET_PREVIOUS instead. ${copy}`;
}

/** @returns the file with the copy */
async function copyBefore(folder: string): Promise<string> {
	const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
	const { file } = await backUp(join(folder, DATABASE_FILE), join(folder, `spanward-before-forget-secrets-${time}.db`));
	return file;
}

/** Opening would create an empty database, and accept the secret for that. */
function assertDatabaseIn(folder: string): void {
	if (existsSync(join(folder, DATABASE_FILE))) return;
	throw new CommandError(
		EXIT_DATA,
		`There is no ${DATABASE_FILE} in ${folder}: set SERVICE_WORKING_DIR to the folder of the server.`,
	);
}
