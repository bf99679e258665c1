import { statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { present } from "#base/present.ts";
import type { Environment } from "#base/settings/setting.ts";
import { backUp } from "#storage/copy/backup.ts";
import type { BackupPlace } from "#storage/copy/trace-backup/backup-place.ts";
import { openFailure, type Remedies, toOpenError } from "#storage/sqlite/open-errors.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { databaseFile, givenFile, sqliteFolder, traceDatabase } from "./sqlite-folder.ts";
import { backUpTracesOf, hasPostgres, readInstallation, readPlace, settingsOfTraces } from "./trace-backup.ts";

const OF_A_BACKUP: Remedies = {
	unwritable: "let this user write there, or name another folder for the backup",
	full: "make room, or name a folder on another disk for the backup",
	damaged: "delete it and try again",
};

/**
 * `spanward backup <file or folder>`: copies the whole database into one file, also while the server runs. With
 * `--traces <place>`, ClickHouse backs up the traces after that.
 */
export async function backupCommand(args: readonly string[], environment: Environment): Promise<void> {
	const usage = "backup <file or folder> [--traces <place>] [--json]";
	const { flags, values, positionals } = readArguments(args, usage, {
		...{ flags: ["json"], values: ["traces"], positionals: [1, 1] },
	});
	const place = values.get("traces");
	const traces = place === undefined ? undefined : { place: readPlace(place), settings: settingsOfTraces(environment) };
	const given = present(positionals[0], "an argument");
	using progress = new Progress();
	if (traces !== undefined && hasPostgres(environment))
		return await backUpBehindDump(givenFile(given), traces, environment, { progress, json: flags.has("json") });
	const path = databaseFile(sqliteFolder(environment, "backup"));
	const target = targetFile(given, new Date());
	const installationId = traces === undefined ? "" : await readInstallation(path, environment);
	const moment = new Date();
	const report = await backUp(path, target, (share) => {
		progress.show(share < 1 ? `Copying: ${Math.floor(share * 100)} %` : "Checking the copy");
	}).catch((error: unknown) => {
		throw failureOf(error, path, target);
	});
	const ofTraces =
		traces && (await backUpTracesOf({ file: target, moment, installationId, ...traces }, traces.settings, progress));
	const { seconds } = progress;
	progress[Symbol.dispose]();
	if (flags.has("json")) {
		process.stdout.write(`${JSON.stringify({ ...report, ...ofTraces, seconds: Math.round(seconds * 10) / 10 })}\n`);
		return;
	}
	const rows = Object.entries(report.rows).map(([table, count]) => `${count} ${table}`);
	process.stdout.write(
		`${report.file}: ${Math.ceil(report.bytes / 1_048_576)} MiB in ${seconds.toFixed(1)} s, checked\n${rows.join(", ")}\n` +
			(ofTraces === undefined ? "" : tracesBackedUp(ofTraces.manifest)) +
			(report.tracesIn === undefined || ofTraces !== undefined ? "" : tracesNotIn(traceDatabase(environment))) +
			"With authentication, keep SERVICE_SECRET too, in another place: stored secrets cannot be read without it.\n",
	);
}

interface OfTraces {
	readonly place: BackupPlace;
	readonly settings: ClickHouseSettings;
}

/** @param dump of everything else, which `pg_dump` has just made */
async function backUpBehindDump(
	dump: string,
	{ place, settings }: OfTraces,
	environment: Environment,
	{ progress, json }: { readonly progress: Progress; readonly json: boolean },
): Promise<void> {
	const installationId = await readInstallation(undefined, environment);
	const backedUp = { file: dump, moment: statSync(dump).mtime, installationId, place };
	const ofTraces = await backUpTracesOf(backedUp, settings, progress);
	progress[Symbol.dispose]();
	process.stdout.write(json ? `${JSON.stringify(ofTraces)}\n` : tracesBackedUp(ofTraces.manifest));
}

function tracesBackedUp(manifest: string): string {
	return `ClickHouse has backed up the traces; ${manifest} says where, and has to stay beside the other file.\n`;
}

function tracesNotIn(database: string): string {
	return (
		"Traces are in ClickHouse, and not in this file. Back them up there, now that this is done, or use --traces next time:\n" +
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
