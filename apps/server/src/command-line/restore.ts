import { chmodSync, constants, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Environment } from "../settings/setting.ts";
import { describeDatabase } from "../storage/copy/database-file.ts";
import { putInPlace, syncToDisk } from "../storage/copy/put-in-place.ts";
import { DATABASE_FILE } from "../storage/sqlite/connection.ts";
import { toOpenError } from "../storage/sqlite/open-errors.ts";
import { lockFolder } from "../storage/sqlite/process-lock.ts";
import { findDamage } from "../storage/traces/sqlite/check-integrity.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { sqliteFolder } from "./sqlite-folder.ts";

/** `spanward restore <file>`: makes a backup the database of the working folder, whose server is stopped. */
export async function restoreCommand(args: readonly string[], environment: Environment): Promise<void> {
	const accepted = { flags: ["force", "json"], positionals: [1, 1] } as const;
	const { flags, positionals } = readArguments(args, "restore <file> [--force] [--json]", accepted);
	const folder = sqliteFolder(environment, "restore");
	const file = resolve(positionals[0] ?? "");
	if (!existsSync(file) || !statSync(file).isFile()) throw new CommandError(EXIT_DATA, `There is no file ${file}.`);
	const path = join(folder, DATABASE_FILE);
	if (file === path) throw new CommandError(EXIT_DATA, `${file} is the database of the folder itself.`);
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		using _lock = lockFolder(folder);
		if (existsSync(path) && !flags.has("force"))
			throw new CommandError(
				EXIT_DATA,
				`${folder} has a database already. --force keeps it beside, under another name, and restores; or set SERVICE_WORKING_DIR to an empty folder.`,
			);
		const copied = copyBeside(file, path);
		const { schemaVersion, rows } = checked(copied, file);
		const replaced = putInPlace(copied, path);
		const facts = { file: path, schemaVersion, rows, ...(replaced === undefined ? {} : { replaced }) };
		if (flags.has("json")) process.stdout.write(`${JSON.stringify(facts)}\n`);
		else {
			const counts = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
			process.stdout.write(`${path} is the backup now: ${counts.join(", ")}\n`);
			if (replaced !== undefined)
				process.stdout.write(`The former database is ${replaced}; delete it when nobody needs it.\n`);
		}
	} catch (error) {
		throw toOpenError(error, path);
	}
}

function copyBeside(file: string, path: string): string {
	const copied = `${path}.unfinished`;
	for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(copied + ending, { force: true });
	copyFileSync(file, copied, constants.COPYFILE_FICLONE);
	// A copy of a whole folder has what was committed last in here.
	if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copied}-wal`, constants.COPYFILE_FICLONE);
	chmodSync(copied, 0o600);
	return copied;
}

/** Nothing that is damaged takes the place of anything. */
function checked(copied: string, file: string): ReturnType<typeof describeDatabase> {
	using progress = new Progress();
	progress.show("Checking the backup");
	try {
		const db = new DatabaseSync(copied);
		// One file, whatever log was beside it.
		db.exec("pragma journal_mode = delete");
		db.close();
		const described = describeDatabase(copied, false);
		for (const { wrong, stage } of findDamage(copied)) {
			if (wrong !== undefined) throw new CommandError(EXIT_DATA, `${file} is damaged: ${wrong}`);
			// An older schema has other columns; its upgrade is at the next start.
			if (stage !== "the file") break;
		}
		syncToDisk(copied);
		return described;
	} catch (error) {
		for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(copied + ending, { force: true });
		if (error instanceof CommandError || !(error instanceof Error)) throw error;
		throw new CommandError(EXIT_DATA, `${file} cannot be restored: ${error.message}`);
	}
}
