import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Steps } from "#access/sign-in/steps.ts";
import { insertUser } from "#access/users/queries.ts";
import { type Config, ConfigError, readConfig } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { openStorage } from "#storage/open-storage.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { toOpenError } from "#storage/sqlite/open-errors.ts";
import type { Storage } from "#storage/storage.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "../command-error.ts";
import { checkFolder } from "../doctor/folder.ts";
import { checkPostgres } from "../doctor/postgres.ts";
import { isPostgresAddress, settingsOfAddress } from "../postgres-address.ts";
import { Progress } from "../progress.ts";
import { readArguments } from "../read-arguments.ts";
import { givenFile } from "../sqlite-folder.ts";
import { TemporaryFolder } from "../temporary-folder.ts";
import { importAnnotationConfigs, importAnnotations } from "./annotations.ts";
import { importDatasets } from "./datasets.ts";
import { noteLeftBehind } from "./left-behind.ts";
import { importPrices } from "./prices.ts";
import { importPrompts } from "./prompts.ts";
import { importRetention } from "./retention.ts";
import { openPostgresSource, openSqliteSource, type PhoenixSource } from "./source.ts";
import { importProjects, importSpans } from "./spans.ts";
import { type Import, ImportReport } from "./target.ts";
import { importUsers } from "./users.ts";

const USAGE = "import-phoenix <address> [--schema <name>] [--dry-run] [--json]";

/** `spanward import-phoenix`: imports a database of Phoenix into the database of the settings. */
export async function importPhoenixCommand(args: readonly string[], environment: Environment): Promise<void> {
	const accepted = { flags: ["dry-run", "json"], values: ["schema"], positionals: [1, 1] } as const;
	const { flags, values, positionals } = readArguments(args, USAGE, accepted);
	const config = readConfig(environment, { listens: false });
	const dryRun = flags.has("dry-run");
	using progress = new Progress();
	await using source = await openSource(present(positionals[0], "an argument"), values.get("schema"), environment);
	const report = new ImportReport();
	if (dryRun) await importForNothing(source, config, report, progress);
	else await importAll(source, config, postgresSettings(config), report, progress);
	await noteLeftBehind(source, report);
	report.finish();
	const { seconds } = progress;
	progress[Symbol.dispose]();
	if (flags.has("json")) {
		const facts = { dryRun, carried: Object.fromEntries(report.carried), notCarried: report.notCarried };
		process.stdout.write(`${JSON.stringify({ ...facts, seconds: Math.round(seconds * 10) / 10 })}\n`);
		return;
	}
	process.stdout.write(
		dryRun
			? "Nothing was written. Into an empty database it would import:\n"
			: `Imported in ${seconds.toFixed(1)} s:\n`,
	);
	for (const [kind, { read, written }] of report.carried) {
		if (read === 0) continue;
		const why = dryRun ? "cannot be carried" : "exist already or cannot be imported";
		const rest = read === written ? "" : `, ${read - written} ${why}`;
		process.stdout.write(`  ${kind}: ${written}${rest}\n`);
	}
	if (report.notCarried.length > 0) process.stdout.write("Not carried:\n");
	for (const sentence of report.notCarried) process.stdout.write(`  ${sentence}\n`);
}

async function importAll(
	source: PhoenixSource,
	config: Config,
	postgres: PostgresSettings | undefined,
	report: ImportReport,
	progress: Progress,
	prepare: (storage: Storage) => Promise<void> = async () => undefined,
): Promise<void> {
	const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`);
	await using storage = await openStorage(config, postgres, tell);
	await prepare(storage);
	const job: Import = {
		...{ source, storage, config, report, users: new Map(), projects: new Map() },
		onProgress: (what, done) => progress.show(`${what}: ${done}, ${Math.round(done / progress.seconds)}/s`),
	};
	await importUsers(job);
	await importProjects(job);
	await importRetention(job);
	await importPrices(job);
	await importSpans(job);
	await importAnnotations(job);
	await importAnnotationConfigs(job);
	await importDatasets(job);
	await importPrompts(job);
}

/**
 * A dry run: the same import into a temporary database, so that its report is complete. The database gets the accounts
 * of the real one, as existing accounts decide how others are imported.
 */
async function importForNothing(
	source: PhoenixSource,
	config: Config,
	report: ImportReport,
	progress: Progress,
): Promise<void> {
	using folder = new TemporaryFolder("spanward-dry-run-");
	try {
		const accounts = await readAccounts(config);
		await importAll(
			source,
			{ ...config, SERVICE_WORKING_DIR: folder.path, SERVICE_CLICKHOUSE_URL: null },
			undefined,
			report,
			progress,
			async ({ db }) => {
				for (const account of accounts)
					await db.write((transaction) => insertUser(transaction, { ...account, login: { method: "OAUTH2" }, now: 0 }));
			},
		);
	} catch (error) {
		throw toOpenError(error, join(folder.path, DATABASE_FILE), {
			unwritable: "set TMPDIR to a folder where this user may write",
			full: "a dry run needs as much space as the import; set TMPDIR to a folder on another disk",
			damaged: "try again",
		});
	}
}

/** The accounts in the database of the settings, if it exists. */
async function readAccounts(config: Config) {
	const check = postgresSettings(config) === undefined ? checkFolder : checkPostgres;
	await using database = await check(config, new Steps());
	if (database === undefined) return [];
	const columns = ["username", "email", "role"] as const;
	return await database.read
		.selectFrom("users")
		.select(columns)
		.where("role", "<>", "SYSTEM")
		.where("email", "is not", null)
		.execute();
}

/** @param address a file or a folder with `phoenix.db`, optionally after `sqlite:`, or `postgresql://…` */
async function openSource(
	address: string,
	schema: string | undefined,
	environment: Environment,
): Promise<PhoenixSource> {
	try {
		if (isPostgresAddress(address))
			return await openPostgresSource(settingsOfAddress(address, schema ?? "public", environment));
		// A scheme other than sqlite:, and no drive of Windows. The address may have a password, so it is not repeated.
		if (/^(?!sqlite:)[a-z][a-z0-9+.-]+:/i.test(address))
			throw new CommandError(
				EXIT_USAGE,
				`An address is a file, sqlite:<file> or postgresql://…\nUsage: spanward ${USAGE}`,
			);
		const path = resolve(address.replace(/^sqlite:(\/\/(?=\/))?/, ""));
		const isFolder = existsSync(path) && statSync(path).isDirectory();
		return openSqliteSource(givenFile(isFolder ? join(path, "phoenix.db") : path));
	} catch (error) {
		if (error instanceof CommandError || error instanceof ConfigError || !(error instanceof Error)) throw error;
		throw new CommandError(EXIT_DATA, `The Phoenix database cannot be read: ${error.message}.`);
	}
}
