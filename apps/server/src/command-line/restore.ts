import { chmodSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { present } from "#base/present.ts";
import type { Environment } from "#base/settings/setting.ts";
import { describeDatabase } from "#storage/copy/database-file.ts";
import { pauseJobsOfFile } from "#storage/copy/pause-jobs.ts";
import { putInPlace, syncToDisk } from "#storage/copy/put-in-place.ts";
import type { Manifest } from "#storage/copy/trace-backup/manifest.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { findMissingLog } from "#storage/sqlite/in-use-mark.ts";
import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { toOpenError } from "#storage/sqlite/open-errors.ts";
import { lockFolder } from "#storage/sqlite/process-lock.ts";
import type { Stage } from "#storage/traces/finding.ts";
import { findDamage } from "#storage/traces/sqlite/check-integrity.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { describePaused } from "./paused-jobs.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { givenFile, sqliteFolder, traceDatabase } from "./sqlite-folder.ts";
import {
	expectRestorable,
	expectSameInstallation,
	hasPostgres,
	readInstallation,
	restoreStatements,
	restoreTracesOf,
	settingsOfTraces,
} from "./trace-backup.ts";

const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;

const ALL_THE_SAME = "or use --damaged to restore what is there.";

/**
 * `spanward restore <file>`: puts a backup into the working folder as its database; the server has to be stopped. With
 * `--traces`, ClickHouse restores the traces that belong to it, which is all that it does beside PostgreSQL.
 */
export async function restoreCommand(args: readonly string[], environment: Environment): Promise<void> {
	const accepted = { flags: ["traces", "force", "damaged", "keep-running", "json"], positionals: [1, 1] } as const;
	const usage = "restore <file> [--traces] [--force] [--damaged] [--keep-running] [--json]";
	const { flags, positionals } = readArguments(args, usage, accepted);
	const traces = flags.has("traces") ? settingsOfTraces(environment) : undefined;
	const file = givenFile(present(positionals[0], "an argument"));
	if (traces !== undefined && hasPostgres(environment)) return await restoreBehindDump(file, traces, environment);
	const folder = sqliteFolder(environment, "restore");
	const path = join(folder, DATABASE_FILE);
	if (file === path) throw new CommandError(EXIT_DATA, `${file} is the database of the folder itself.`);
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		using _lock = lockFolder(folder);
		if (existsSync(path) && !flags.has("force"))
			throw new CommandError(
				EXIT_DATA,
				`${folder} already has a database. With --force, it is kept under another name and replaced; or set SERVICE_WORKING_DIR to an empty folder.`,
			);
		// Before the file is opened, which would create a log.
		const missingLog = flags.has("damaged") ? undefined : findMissingLog(file);
		if (missingLog !== undefined)
			throw new CommandError(
				EXIT_DATA,
				`${file} is not restored: ${missingLog}. Copy it again, with its log; ${ALL_THE_SAME}`,
			);
		const manifest = traces && (await expectRestorable(file, traces));
		using cleanUp = new DisposableStack();
		cleanUp.defer(() => rmSync(unfinishedFolder(path), { recursive: true, force: true }));
		const copied = copyBeside(file, path);
		const { schemaVersion, rows, tracesIn } = checked(copied, file, flags.has("damaged"));
		if (manifest !== undefined) expectSameInstallation(manifest, await readInstallation(copied, environment));
		const pausedJobs = flags.has("keep-running") ? 0 : pauseJobsOfFile(copied);
		const replaced = putInPlace(copied, path);
		if (traces !== undefined && manifest !== undefined) await restoreTracesAfterwards(manifest, traces);
		const elsewhere = tracesIn === undefined ? {} : { tracesIn };
		const before = replaced === undefined ? {} : { replaced };
		const facts = { file: path, schemaVersion, rows, pausedJobs, ...elsewhere, ...before };
		if (flags.has("json")) process.stdout.write(`${JSON.stringify(facts)}\n`);
		else {
			const counts = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
			process.stdout.write(`${path} is the backup now: ${counts.join(", ")}\n`);
			process.stdout.write(describePaused(pausedJobs));
			if (manifest !== undefined) process.stdout.write(TRACES_RESTORED);
			else if (tracesIn !== undefined) process.stdout.write(tracesLeft(traceDatabase(environment)));
			if (replaced !== undefined)
				process.stdout.write(`The old database is ${replaced}; delete it when nobody needs it.\n`);
		}
	} catch (error) {
		throw toOpenError(error, path);
	}
}

const TRACES_RESTORED = "ClickHouse has restored the traces; spanward verify checks both.\n";

/** @param dump which `pg_restore` has put back */
async function restoreBehindDump(dump: string, traces: ClickHouseSettings, environment: Environment): Promise<void> {
	const manifest = await expectRestorable(dump, traces);
	expectSameInstallation(manifest, await readInstallation(undefined, environment));
	await restoreTracesAfterwards(manifest, traces);
	process.stdout.write(TRACES_RESTORED);
}

/** Once everything else is in its place. */
async function restoreTracesAfterwards(manifest: Manifest, traces: ClickHouseSettings): Promise<void> {
	using progress = new Progress();
	try {
		await restoreTracesOf(manifest, traces, progress);
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		const statements = restoreStatements(manifest, traces).map((statement) => `${statement}\n`);
		throw new CommandError(
			error.exitCode,
			`${error.message}\nEverything but the traces is restored. When that is put right, drop the database of the traces and run in ClickHouse, on each shard its own:\n${statements.join("")}`.trimEnd(),
		);
	}
}

function tracesLeft(database: string): string {
	return (
		"Traces are in ClickHouse, and were left as they are. If they were lost, too, put them back there:\n" +
		`restore database ${database} from Disk('<disk>', '<file>.zip') (docs/clickhouse.md#backup)\n`
	);
}

/**
 * Copies the backup into a new folder beside `path` that only its owner can enter, as the copy has the backup's
 * permissions until it is complete. Existing files there are removed, as a link would be followed.
 * @returns the copy, with mode 0600
 */
function copyBeside(file: string, path: string): string {
	const folder = unfinishedFolder(path);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { mode: 0o700 });
	const copied = join(folder, DATABASE_FILE);
	// In a copy of a whole folder, the log has the last commits.
	for (const ending of ["", "-wal"]) {
		const found = ending === "" ? statSync(file) : lstatSync(file + ending, { throwIfNoEntry: false });
		if (found === undefined) continue;
		if (!found.isFile()) throw new CommandError(EXIT_DATA, `${file}${ending} is not a file.`);
		copyFileSync(file + ending, copied + ending, COPYFILE_EXCL | COPYFILE_FICLONE);
		chmodSync(copied + ending, 0o600);
	}
	return copied;
}

function unfinishedFolder(path: string): string {
	return `${path}.unfinished`;
}

/**
 * Checks the copy, so that no file that is damaged or not from Spanward replaces a database.
 * @param damagedContents whether the contents of spans may be damaged; the file and its schema may never be
 */
function checked(copied: string, file: string, damagedContents: boolean): ReturnType<typeof describeDatabase> {
	using progress = new Progress();
	progress.show("Checking the backup");
	try {
		const db = new DatabaseSync(copied);
		// Merges a log into the file.
		db.exec("pragma journal_mode = delete");
		db.close();
		const described = describeDatabase(copied, false);
		const end = endOfCheck(described.schemaVersion, damagedContents);
		let stage: Stage = "the schema";
		for (const found of findDamage(copied)) {
			stage = found.stage ?? stage;
			if (stage === end) break;
			progress.show(`Checking the backup: ${stage}`);
			if (found.wrong !== undefined) throw refused(stage, found.wrong, file);
		}
		syncToDisk(copied);
		return described;
	} catch (error) {
		if (error instanceof CommandError || !(error instanceof Error)) throw error;
		throw new CommandError(EXIT_DATA, `${file} cannot be restored: ${error.message}`);
	}
}

/** Totals are not checked, as they can be recomputed; `verify` checks them. */
function endOfCheck(schemaVersion: number, damagedContents: boolean): Stage {
	if (damagedContents) return "contents";
	// The rows of an older schema have other columns; it is upgraded at the next start.
	return schemaVersion < SCHEMA_VERSION ? "rows" : "totals";
}

function refused(stage: Stage, wrong: string, file: string): CommandError {
	switch (stage) {
		case "the schema":
			return new CommandError(EXIT_DATA, `${file} is not restored, because its schema is not Spanward's: ${wrong}`);
		case "the file":
			return new CommandError(EXIT_DATA, `${file} is damaged: ${wrong}`);
		default:
			return new CommandError(
				EXIT_DATA,
				`${file} is damaged: ${wrong}. spanward verify lists what else is. Restore another backup, ${ALL_THE_SAME}`,
			);
	}
}
