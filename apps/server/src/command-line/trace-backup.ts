import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ConfigError, readConfig } from "#base/config.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { ClickHouseOpenError, toOpenError } from "#storage/clickhouse/open-errors.ts";
import { installationOfFile, installationOfSchema } from "#storage/copy/installation-of.ts";
import { type BackupPlace, formatPlace, parsePlace, placeSql } from "#storage/copy/trace-backup/backup-place.ts";
import {
	type Manifest,
	ManifestRefused,
	manifestPath,
	readManifest,
	writeManifest,
} from "#storage/copy/trace-backup/manifest.ts";
import {
	backUpTraces,
	expectInstallation,
	expectNoTables,
	restoreStatement,
	restoreTraces,
	TraceBackupFailed,
} from "#storage/copy/trace-backup/run-backup.ts";
import { openSnapshot } from "#storage/postgres/snapshot.ts";
import { CommandError, EXIT_DATA, EXIT_USAGE } from "./command-error.ts";
import type { Progress } from "./progress.ts";

/** The settings of ClickHouse. @throws ConfigError without them */
export function settingsOfTraces(environment: Environment): ClickHouseSettings {
	const settings = clickHouseSettings(readConfig(environment, { listens: false }));
	if (settings !== undefined) return settings;
	throw new ConfigError(["--traces needs SERVICE_CLICKHOUSE_URL, and the other settings of the server"]);
}

/** Whether everything but the traces is in PostgreSQL, which has its own tools for backups. */
export function hasPostgres(environment: Environment): boolean {
	return postgresSettings(readConfig(environment, { listens: false })) !== undefined;
}

/** The place that `--traces` of `backup` names. @throws CommandError when it is none */
export function readPlace(text: string): BackupPlace {
	const place = parsePlace(text);
	if (place !== undefined) return place;
	throw new CommandError(
		EXIT_USAGE,
		"--traces takes disk:<disk>[/<folder>] or s3:<named collection>[/<folder>], as ClickHouse's configuration names them; addresses and keys belong into the named collection.",
	);
}

/** The id that a metadata database shares with its traces. @param file of SQLite; undefined for PostgreSQL */
export async function readInstallation(file: string | undefined, environment: Environment): Promise<string> {
	const found = file === undefined ? await ofPostgres(environment) : ofFile(file);
	if (found !== undefined) return found;
	throw new CommandError(EXIT_DATA, "Its traces are not in ClickHouse: --traces has nothing to do.");
}

function ofFile(file: string): string | undefined {
	const db = new DatabaseSync(file, { readOnly: true });
	try {
		return installationOfFile(db);
	} finally {
		db.close();
	}
}

async function ofPostgres(environment: Environment): Promise<string | undefined> {
	const settings = postgresSettings(readConfig(environment, { listens: false }));
	if (settings === undefined) return undefined;
	const client = await openSnapshot(settings, "backup");
	try {
		return await installationOfSchema(client);
	} finally {
		await client.end();
	}
}

export interface BackedUp {
	/** The backup of the metadata database, beside which the manifest is written. */
	readonly file: string;
	/** Everything in it was there by then. */
	readonly moment: Date;
	readonly installationId: string;
	readonly place: BackupPlace;
}

/** Backs up the traces that belong to a backup of the metadata database. @returns the path of the manifest */
export async function backUpTracesOf(
	{ file, moment, installationId, place }: BackedUp,
	settings: ClickHouseSettings,
	progress: Progress,
): Promise<{ readonly manifest: string; readonly shards: readonly string[] }> {
	return await explained(settings, async () => {
		await expectInstallation(settings, installationId);
		const started = new Date();
		const name = `spanward-${started.toISOString().replaceAll(/[-:]|\.\d+/g, "")}-${randomUUID().slice(0, 8)}`;
		const shards = settings.shards.map((_, index) => `${name}/shard-${index + 1}`);
		await backUpTraces({ settings, place, paths: shards, onProgress: progressOf("Backing up", progress) });
		const manifest = writeManifest(file, {
			format: 1,
			installation_id: installationId,
			metadata: { file: basename(file), bytes: statSync(file).size, moment: moment.toISOString() },
			traces: {
				database: settings.database,
				moment: started.toISOString(),
				completed: new Date().toISOString(),
				...{ place: formatPlace(place), shards },
			},
		});
		return { manifest, shards };
	});
}

/** The manifest beside a backup of the metadata database. @throws CommandError when traces cannot be restored by it */
export async function expectRestorable(file: string, settings: ClickHouseSettings): Promise<Manifest> {
	return await explained(settings, async () => {
		const manifest = readManifest(file);
		const { length } = manifest.traces.shards;
		if (length !== settings.shards.length)
			throw new CommandError(
				EXIT_DATA,
				`${manifestPath(file)} has traces of ${length} shards, and SERVICE_CLICKHOUSE_URL lists ${settings.shards.length}: list as many.`,
			);
		await expectNoTables(settings);
		return manifest;
	});
}

/** @param installationId of the metadata database that is restored. @throws CommandError when it is another one */
export function expectSameInstallation({ installation_id }: Manifest, installationId: string): void {
	if (installation_id === installationId) return;
	throw new CommandError(EXIT_DATA, "Nothing was restored: the manifest is of the traces of another installation.");
}

/** Restores the traces of a manifest. */
export async function restoreTracesOf(
	{ installation_id, traces: { database, place, shards } }: Manifest,
	settings: ClickHouseSettings,
	progress: Progress,
): Promise<void> {
	await explained(settings, async () => {
		await restoreTraces({ settings, place, paths: shards, onProgress: progressOf("Restoring", progress) }, database);
		await expectInstallation(settings, installation_id);
	});
}

/** What restores them by hand. */
export function restoreStatements(
	{ traces: { database, place, shards } }: Manifest,
	settings: ClickHouseSettings,
): readonly string[] {
	return shards.map((path) => restoreStatement(settings, database, placeSql(place, path)));
}

function progressOf(what: string, progress: Progress): (shard: number, bytes: number) => void {
	return (shard, bytes) => progress.show(`${what} traces of shard ${shard}: ${Math.floor(bytes / 1_048_576)} MiB`);
}

async function explained<Result>(settings: ClickHouseSettings, work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ManifestRefused) throw new CommandError(EXIT_DATA, `Nothing was restored: ${error.message}.`);
		if (error instanceof TraceBackupFailed) throw new CommandError(EXIT_DATA, `${upperFirst(error.message)}.`);
		const open = toOpenError(error, settings);
		if (!(open instanceof ClickHouseOpenError)) throw open;
		throw new CommandError(open.mayPass ? 1 : EXIT_DATA, `${upperFirst(open.message)}.`);
	}
}

function upperFirst(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
