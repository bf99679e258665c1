import { existsSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Environment } from "#base/settings/setting.ts";
import { ClickHouseOpenError } from "#storage/clickhouse/open-errors.ts";
import { copyDatabase } from "#storage/copy/moving/copy-database.ts";
import { openPostgresSource, openPostgresTarget } from "#storage/copy/moving/postgres-side.ts";
import { CopyRefused, type Source, type Target } from "#storage/copy/moving/side.ts";
import { openSqliteSource, openSqliteTarget } from "#storage/copy/moving/sqlite-side.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { findMissingLog } from "#storage/sqlite/in-use-mark.ts";
import { lockFolder } from "#storage/sqlite/process-lock.ts";
import { ofClickHouse, settingsOfClickHouse } from "./clickhouse-address.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "./command-error.ts";
import { describePaused } from "./paused-jobs.ts";
import { isPostgresAddress, settingsOfAddress } from "./postgres-address.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { givenFile } from "./sqlite-folder.ts";

const USAGE =
	"copy --from <address> --to <address> [--traces-from <address>] [--traces-to <address>] [--schema <name>] [--servers-running | --since] [--keep-running] [--json]";

/** `spanward copy`: everything from SQLite, PostgreSQL and ClickHouse to another of them. */
export async function copyCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags, values } = readArguments(args, USAGE, {
		flags: ["servers-running", "since", "keep-running", "json"],
		values: ["from", "to", "traces-from", "traces-to", "schema"],
	});
	const [from, to] = [values.get("from"), values.get("to")].map((address, index) => {
		if (address === undefined)
			throw new CommandError(EXIT_USAGE, `--${index === 0 ? "from" : "to"} is missing.\nUsage: spanward ${USAGE}`);
		return readAddress(address, values.get("schema"), environment);
	});
	if (from === undefined || to === undefined) return;
	if (flags.has("servers-running") && flags.has("since"))
		throw new CommandError(
			EXIT_USAGE,
			`--servers-running is the first round, and --since the last one.\nUsage: spanward ${USAGE}`,
		);
	const round = flags.has("servers-running") ? "first" : flags.has("since") ? "last" : "only";
	const [tracesFrom, tracesTo] = ["traces-from", "traces-to"].map((option) => {
		const address = values.get(option);
		return address === undefined ? undefined : settingsOfClickHouse(address, environment);
	});
	if ("path" in from && "path" in to && tracesFrom === undefined && tracesTo === undefined)
		throw new CommandError(EXIT_USAGE, "Both are SQLite: spanward backup makes a copy of a database.");
	await using opened = new AsyncDisposableStack();
	using progress = new Progress();
	try {
		const source = await openSource(from, { traces: tracesFrom, mayBeInUse: round === "first" }, opened);
		const target = await openTarget(to, tracesTo, opened);
		const report = await copyDatabase(
			source,
			target,
			({ stage, table, rows, total }) => {
				const share = total === 0 ? 100 : Math.min(100, Math.floor((rows / total) * 100));
				progress.show(`${stage} ${table}: ${share} %, ${Math.round(rows / Math.max(0.001, progress.seconds))} rows/s`);
			},
			{ round, keepsRunning: flags.has("keep-running") },
		);
		const { seconds } = progress;
		progress[Symbol.dispose]();
		if (flags.has("json")) {
			process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round(seconds * 10) / 10 })}\n`);
			return;
		}
		if (round === "first") {
			process.stdout.write(
				`Copied in ${seconds.toFixed(1)} s what was there of traces. No server starts on it yet: stop the servers of the source, and run the same with --since in place of --servers-running.\n`,
			);
			return;
		}
		const counts = Object.entries(report.tables).map(([table, { rows }]) => `  ${table}: ${rows}`);
		process.stdout.write(
			`Copied in ${seconds.toFixed(1)} s${report.resumed === 0 ? "" : `, ${report.resumed} rows by an earlier run`}; the copy was read again and is equal:\n${counts.join("\n")}\n` +
				describePaused(report.pausedJobs) +
				"Start the servers on the copy with the same SERVICE_SECRET.\n",
		);
	} catch (error) {
		throw explained(error);
	}
}

type Address = { readonly path: string } | { readonly postgres: PostgresSettings };

/** `sqlite:` and a folder or file, or `postgresql://…` with the other settings of the environment. */
function readAddress(address: string, schema: string | undefined, environment: Environment): Address {
	if (address.startsWith("sqlite:")) {
		const path = resolve(address.slice("sqlite:".length).replace(/^\/\/(?=\/)/, ""));
		const isFile = existsSync(path) ? !statSync(path).isDirectory() : path.endsWith(".db");
		return { path: isFile ? path : join(path, DATABASE_FILE) };
	}
	if (!isPostgresAddress(address))
		throw new CommandError(EXIT_USAGE, "An address begins with sqlite: or postgresql://");
	return { postgres: settingsOfAddress(address, schema, environment) };
}

interface SourceOptions {
	/** Present where its traces are in ClickHouse. */
	readonly traces: ClickHouseSettings | undefined;
	/** Whether servers may be using it. */
	readonly mayBeInUse: boolean;
}

async function openSource(
	address: Address,
	{ traces, mayBeInUse }: SourceOptions,
	opened: AsyncDisposableStack,
): Promise<Source> {
	const source = opened.use(await openSourceDatabase(address, mayBeInUse, opened));
	if (traces === undefined) {
		if ((await source.installationId()) === undefined) return source;
		throw new CopyRefused("the traces of the source are in ClickHouse: say with --traces-from where");
	}
	// Loaded only where it is used.
	const { openClickHouseSource } = await import("#storage/copy/moving/clickhouse-side.ts");
	return opened.use(await openClickHouseSource(source, traces));
}

async function openSourceDatabase(
	address: Address,
	mayBeInUse: boolean,
	opened: AsyncDisposableStack,
): Promise<Source> {
	if ("postgres" in address) return openPostgresSource(address.postgres);
	const path = givenFile(address.path);
	// Before the file is opened, which would create a log.
	const missingLog = findMissingLog(path);
	if (missingLog !== undefined)
		throw new CommandError(
			EXIT_DATA,
			`${path} is not copied: ${missingLog}. To use what is there anyway, first make it a database with spanward restore --damaged.`,
		);
	if (!mayBeInUse) lock(path, opened);
	return openSqliteSource(path);
}

/** @param traces present where its traces go to ClickHouse */
async function openTarget(
	address: Address,
	traces: ClickHouseSettings | undefined,
	opened: AsyncDisposableStack,
): Promise<Target> {
	const target = opened.use(await openTargetDatabase(address, traces !== undefined, opened));
	if (traces === undefined) return target;
	const { openClickHouseTarget } = await import("#storage/copy/moving/clickhouse-side.ts");
	return opened.use(await openClickHouseTarget(target, traces));
}

async function openTargetDatabase(
	address: Address,
	tracesElsewhere: boolean,
	opened: AsyncDisposableStack,
): Promise<Target> {
	if ("postgres" in address) return openPostgresTarget(address.postgres, tracesElsewhere);
	mkdirSync(dirname(address.path), { recursive: true, mode: 0o700 });
	lock(address.path, opened);
	return openSqliteTarget(address.path, tracesElsewhere);
}

/** What an operator is told. */
function explained(error: unknown): unknown {
	if (error instanceof CopyRefused) return new CommandError(EXIT_DATA, `Not copied: ${error.message}.`);
	if (!(error instanceof ClickHouseOpenError)) return error;
	const message = `Not copied: ${ofClickHouse(error.message)}.`;
	return error.mayPass
		? new CommandError(1, `${message} Then the same command goes on from where it was.`)
		: new CommandError(EXIT_DATA, message);
}

/** Locks the folder against a server, if it is one of a server; a backup elsewhere needs no lock. */
function lock(path: string, opened: AsyncDisposableStack): void {
	if (basename(path) === DATABASE_FILE) opened.use(lockFolder(dirname(path)));
}
