import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError, readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { openStorage } from "#storage/open-storage.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "../command-error.ts";
import { isPostgresAddress, settingsOfAddress } from "../postgres-address.ts";
import { Progress } from "../progress.ts";
import { readArguments } from "../read-arguments.ts";
import { givenFile } from "../sqlite-folder.ts";
import { importAnnotationConfigs, importAnnotations } from "./annotations.ts";
import { importDatasets } from "./datasets.ts";
import { countAll, noteLeftBehind } from "./left-behind.ts";
import { importPrices } from "./prices.ts";
import { importPrompts } from "./prompts.ts";
import { importRetention } from "./retention.ts";
import { openPostgresSource, openSqliteSource, type PhoenixSource } from "./source.ts";
import { importProjects, importSpans } from "./spans.ts";
import { type Import, ImportReport } from "./target.ts";
import { importUsers } from "./users.ts";

const USAGE = "import-phoenix <address> [--schema <name>] [--dry-run] [--json]";

/** `spanward import-phoenix`: what a database of Phoenix holds, into the database of the settings. */
export async function importPhoenixCommand(args: readonly string[], environment: Environment): Promise<void> {
	const accepted = { flags: ["dry-run", "json"], values: ["schema"], positionals: [1, 1] } as const;
	const { flags, values, positionals } = readArguments(args, USAGE, accepted);
	const config = readConfig(environment, { listens: false });
	const dryRun = flags.has("dry-run");
	using progress = new Progress();
	await using source = await openSource(positionals[0] ?? "", values.get("schema"), environment);
	const report = new ImportReport();
	if (dryRun) await countAll(source, report);
	else await importAll(source, config, report, progress);
	await noteLeftBehind(source, report);
	report.finish();
	const { seconds } = progress;
	progress[Symbol.dispose]();
	if (flags.has("json")) {
		const facts = { dryRun, carried: Object.fromEntries(report.carried), notCarried: report.notCarried };
		process.stdout.write(`${JSON.stringify({ ...facts, seconds: Math.round(seconds * 10) / 10 })}\n`);
		return;
	}
	process.stdout.write(dryRun ? "Nothing was written. It would carry:\n" : `Imported in ${seconds.toFixed(1)} s:\n`);
	for (const [kind, { read, written }] of report.carried) {
		if (read === 0) continue;
		const rest = dryRun || read === written ? "" : `, ${read - written} were there already or cannot be carried`;
		process.stdout.write(`  ${kind}: ${dryRun ? read : written}${rest}\n`);
	}
	if (report.notCarried.length > 0) process.stdout.write("Not carried:\n");
	for (const sentence of report.notCarried) process.stdout.write(`  ${sentence}\n`);
}

async function importAll(
	source: PhoenixSource,
	config: Config,
	report: ImportReport,
	progress: Progress,
): Promise<void> {
	const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`);
	await using storage = await openStorage(config, postgresSettings(config), tell);
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

/** A file, a folder with `phoenix.db`, either after `sqlite:` or not, or `postgresql://…`. */
async function openSource(
	address: string,
	schema: string | undefined,
	environment: Environment,
): Promise<PhoenixSource> {
	try {
		if (isPostgresAddress(address))
			return await openPostgresSource(settingsOfAddress(address, schema ?? "public", environment));
		// Other than sqlite: or the drive of a Windows path. It may have a password, so it is not repeated.
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
		throw new CommandError(EXIT_DATA, `The database of Phoenix cannot be read: ${error.message}.`);
	}
}
