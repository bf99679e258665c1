import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#base/settings/setting.ts";
import { describeDatabase, whatIsNewer } from "#storage/copy/database-file.ts";
import { pauseJobsOfFile } from "#storage/copy/pause-jobs.ts";
import { putInPlace } from "#storage/copy/put-in-place.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { toOpenError } from "#storage/sqlite/open-errors.ts";
import { lockFolder } from "#storage/sqlite/process-lock.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { describePaused } from "./paused-jobs.ts";
import { readArguments } from "./read-arguments.ts";
import { confirmed, databaseFile, sqliteFolder } from "./sqlite-folder.ts";

/** `spanward rollback`: replaces the database by the copy that the last upgrade made. */
export async function rollbackCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags } = readArguments(args, "rollback [--keep-running] [--yes]", {
		flags: ["keep-running", "yes"],
	});
	const folder = sqliteFolder(environment, "rollback");
	const path = databaseFile(folder);
	const copy = findCopy(folder);
	try {
		using _lock = lockFolder(folder);
		const before = describeDatabase(copy, false);
		const now = describeDatabase(path, false);
		const lost = Object.entries(whatIsNewer(now, before)).map(([table, count]) => `${count} ${table}`);
		const made = statSync(copy).mtime.toISOString();
		const question =
			`${copy} is the database as it was at ${made}, with schema version ${before.schemaVersion} (now ${now.schemaVersion}).\n` +
			`Added since then, and lost by a rollback: ${lost.length === 0 ? "nothing" : lost.join(", ")}. Deleted rows would be back.${
				now.tracesIn === undefined
					? ""
					: "\nTraces are in ClickHouse, and stay as they are, with those that came since."
			}`;
		if (!flags.has("yes")) await confirmed(question);
		const pausedJobs = flags.has("keep-running") ? 0 : pauseJobsOfFile(copy);
		const replaced = putInPlace(copy, path);
		process.stdout.write(
			`${path} has schema version ${before.schemaVersion} again. Not in it: ${lost.length === 0 ? "nothing" : lost.join(", ")}.\n` +
				`The upgraded database is ${String(replaced)}.\n` +
				(now.tracesIn === undefined ? "" : "Traces are in ClickHouse, and were left as they are.\n") +
				describePaused(pausedJobs) +
				"Start the Spanward that you had before the upgrade; this one would upgrade it again.\n",
		);
	} catch (error) {
		throw toOpenError(error, path);
	}
}

function findCopy(folder: string): string {
	const [copy] = readdirSync(folder).filter(
		(name) => /\.before-\d+$/.test(name) && name.startsWith(`${DATABASE_FILE}.`),
	);
	if (copy !== undefined) return join(folder, copy);
	throw new CommandError(
		EXIT_DATA,
		`There is no copy from before an upgrade in ${folder}: nothing was upgraded there, or there was no room for a copy. A backup can be restored by spanward restore.`,
	);
}
