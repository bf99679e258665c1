import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { ConfigError, readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";

/**
 * The working folder of a server with SQLite.
 * @throws ConfigError when the settings name PostgreSQL, which has its own tools for this
 */
export function sqliteFolder(environment: Environment, command: string): string {
	const config = readConfig(environment, { listens: false });
	if (postgresSettings(config) !== undefined) {
		const traces = config.SERVICE_CLICKHOUSE_URL === null ? "" : "; traces are in ClickHouse: docs/clickhouse.md";
		throw new ConfigError([
			`${command} is for SQLite, and these settings name a PostgreSQL database: use pg_dump and pg_restore, as docs/backup.md says${traces}`,
		]);
	}
	return config.SERVICE_WORKING_DIR;
}

/** The database of ClickHouse with the traces of a server that has them there. */
export function traceDatabase(environment: Environment): string {
	return readConfig(environment, { listens: false }).SERVICE_CLICKHOUSE_DATABASE;
}

/** The path of the database file in `folder`. @throws CommandError when it does not exist */
export function databaseFile(folder: string): string {
	const path = join(folder, DATABASE_FILE);
	if (existsSync(path)) return path;
	throw new CommandError(
		EXIT_DATA,
		`There is no ${DATABASE_FILE} in ${folder}: set SERVICE_WORKING_DIR to the folder of the server.`,
	);
}

/** The absolute path of a database in an argument. @throws CommandError when it is not a file */
export function givenFile(given: string): string {
	const path = resolve(given);
	const found = statSync(path, { throwIfNoEntry: false });
	if (found?.isFile() === true) return path;
	if (found === undefined) throw new CommandError(EXIT_DATA, `There is no file ${path}.`);
	throw new CommandError(
		EXIT_DATA,
		found.isDirectory() ? `${path} is a folder: name a file in it.` : `${path} is neither a file nor a folder.`,
	);
}

/** Asks on a terminal; a script has to say `--yes` itself. @throws CommandError unless it is confirmed */
export async function confirmed(question: string): Promise<void> {
	if (!process.stdin.isTTY) throw new CommandError(1, `${question}\nNothing was done: use --yes to do it.`);
	const terminal = createInterface({ input: process.stdin, output: process.stderr });
	const answer = await terminal.question(`${question} Type yes: `);
	terminal.close();
	if (answer.trim().toLowerCase() !== "yes") throw new CommandError(1, "Nothing was done.");
}
