import { statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { present } from "#base/present.ts";
import type { Environment } from "#base/settings/setting.ts";
import { backUp } from "#storage/copy/backup.ts";
import { openFailure, type Remedies, toOpenError } from "#storage/sqlite/open-errors.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { databaseFile, sqliteFolder, traceDatabase } from "./sqlite-folder.ts";

const OF_A_BACKUP: Remedies = {
	unwritable: "let this user write there, or name another folder for the backup",
	full: "make room, or name a folder on another disk for the backup",
	damaged: "delete it and try again",
};

/** `spanward backup <file or folder>`: copies the whole database into one file, also while the server runs. */
export async function backupCommand(args: readonly string[], environment: Environment): Promise<void> {
	const usage = "backup <file or folder> [--json]";
	const { flags, positionals } = readArguments(args, usage, { flags: ["json"], positionals: [1, 1] });
	const path = databaseFile(sqliteFolder(environment, "backup"));
	const target = targetFile(present(positionals[0], "an argument"), new Date());
	using progress = new Progress();
	const report = await backUp(path, target, (share) => {
		progress.show(share < 1 ? `Copying: ${Math.floor(share * 100)} %` : "Checking the copy");
	}).catch((error: unknown) => {
		throw failureOf(error, path, target);
	});
	const { seconds } = progress;
	progress[Symbol.dispose]();
	if (flags.has("json")) {
		process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round(seconds * 10) / 10 })}\n`);
		return;
	}
	const rows = Object.entries(report.rows).map(([table, count]) => `${count} ${table}`);
	process.stdout.write(
		`${report.file}: ${Math.ceil(report.bytes / 1_048_576)} MiB in ${seconds.toFixed(1)} s, checked\n${rows.join(", ")}\n` +
			(report.tracesIn === undefined ? "" : tracesNotIn(traceDatabase(environment))) +
			"With authentication, keep SERVICE_SECRET too, in another place: stored secrets cannot be read without it.\n",
	);
}

function tracesNotIn(database: string): string {
	return (
		"Traces are in ClickHouse, and not in this file. Back them up there, now that this is done:\n" +
		`backup database ${database} to Disk('<disk>', '<file>.zip') (docs/clickhouse.md#backup)\n`
	);
}

/** @throws CommandError when the folder does not exist: with a typo, a file of that name would be made */
function targetFile(given: string, now: Date): string {
	const target = resolve(given);
	const isFolder = /[/\\]\.{0,2}$|^\.{1,2}$/.test(given) || statSync(target, { throwIfNoEntry: false })?.isDirectory();
	const folder = isFolder ? target : dirname(target);
	const found = statSync(folder, { throwIfNoEntry: false });
	if (found === undefined)
		throw new CommandError(EXIT_DATA, `There is no folder ${folder}: create it first, or name another.`);
	if (!found.isDirectory()) throw new CommandError(EXIT_DATA, `${folder} is not a folder: name a file in a folder.`);
	if (!isFolder && extname(target) === "")
		throw new CommandError(
			EXIT_DATA,
			`There is no folder ${target}: create it first. A file name needs an extension, such as ${target}.db.`,
		);
	return isFolder ? join(target, `spanward-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`) : target;
}

/** Reading errors concern the database, writing errors the backup: each needs other advice. */
function failureOf(error: unknown, path: string, target: string): unknown {
	if (!(error instanceof Error)) return error;
	return openFailure(error) === "damaged" ? toOpenError(error, path) : toOpenError(error, target, OF_A_BACKUP);
}
