import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ConfigError, readConfig } from "#base/config.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { ClickHouseOpenError, nodeNames, toOpenError } from "#storage/clickhouse/open-errors.ts";
import { openEachShard } from "#storage/clickhouse/shard.ts";
import { openMetadata } from "#storage/open-storage.ts";
import {
	adoptTraces,
	findAdoptable,
	findForgettable,
	findLostShards,
	goOnWithout,
	goOnWithoutShards,
	NotAdopted,
} from "#storage/traces/clickhouse/adopt.ts";
import { openTraceMetadata } from "#storage/traces/clickhouse/metadata/open-metadata.ts";
import { prepareDatabase, prepareTables } from "#storage/traces/clickhouse/schema.ts";
import { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { CommandError, EXIT_DATA, EXIT_SETTINGS } from "./command-error.ts";
import { readArguments } from "./read-arguments.ts";
import { confirmed, databaseFile } from "./sqlite-folder.ts";

const USAGE = "adopt-clickhouse [--empty] [--force] [--yes]";

/**
 * `spanward adopt-clickhouse`: takes over the traces of an installation whose metadata database is lost; with `--empty`,
 * goes on without traces that are lost themselves.
 */
export async function adoptClickHouseCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags } = readArguments(args, USAGE, { flags: ["empty", "force", "yes"] });
	const config = readConfig(environment, { listens: false });
	const given = clickHouseSettings(config);
	if (given === undefined)
		throw new ConfigError(["adopt-clickhouse needs SERVICE_CLICKHOUSE_URL, and the other settings of the server"]);
	const postgres = postgresSettings(config);
	// Opening would make an empty one, which has nothing to go on with.
	if (flags.has("empty") && postgres === undefined) databaseFile(config.SERVICE_WORKING_DIR);
	await using storage = await openMetadata(config, postgres, (sentence) => process.stderr.write(`${sentence}\n`));
	const metadata = await openTraceMetadata(storage);
	try {
		const settings = await prepareDatabase(given);
		await using shards = new TraceShards(openEachShard(settings));
		for (const shard of shards.list) await prepareTables(shard, settings);
		const parts = { shards, metadata, settings };
		await (flags.has("empty") ? goOn(parts, flags) : takeOver(parts, flags));
	} catch (error) {
		throw failureOf(error, given);
	}
}

type Parts = Parameters<typeof adoptTraces>[0];

async function takeOver(parts: Parts, flags: ReadonlySet<string>): Promise<void> {
	const found = await findAdoptable(parts, flags.has("force"));
	if (found === undefined) {
		process.stdout.write("Its traces are those of this installation already: nothing was done.\n");
		return;
	}
	const { database } = parts.settings;
	const what = `${found.spans} spans of ${found.projects.length} projects`;
	const question =
		`The database ${database} of ClickHouse at ${nodeNames(parts.settings)} has ${what}, of another installation.\n` +
		"They become those of this one, and a server of the other one can start no more. Stop the servers of both first.";
	if (!flags.has("yes")) await confirmed(question);
	await adoptTraces(parts, found);
	process.stdout.write(
		`The traces are those of this installation now: ${what}.\n` +
			"Start the server: row numbers go on above theirs, and projects that are missing here are made.\n",
	);
}

async function goOn(parts: Parts, flags: ReadonlySet<string>): Promise<void> {
	const lost = await findLostShards(parts);
	if (lost.length > 0) {
		const which = `${lost.length > 1 ? "the shards" : "the shard"} ${lost.join(", ")}`;
		const question =
			`The traces that were on ${which} are lost; those of other shards stay.\n` +
			"Annotations of lost traces are deleted, and examples of datasets lose their links, as a running server finds them. Stop all servers first. If there is a backup, restore that instead.";
		if (!flags.has("yes")) await confirmed(question);
		await goOnWithoutShards(parts, lost);
		process.stdout.write(`Goes on without what was on ${which}: start the server.\n`);
		return;
	}
	const { annotations, examples } = await findForgettable(parts);
	const question =
		`${annotations} annotations of traces that are lost will be deleted, and ${examples} examples of datasets keep no link to their spans.\n` +
		"Annotations that wait for their spans stay. Stop all servers first. If there is a backup of the traces, restore that instead.";
	if (!flags.has("yes")) await confirmed(question);
	await goOnWithout(parts);
	process.stdout.write(
		`Deleted ${annotations} annotations; ${examples} examples of datasets have no link to their spans any more.\n` +
			`New traces go to the database ${parts.settings.database} of ClickHouse: start the server.\n`,
	);
}

function failureOf(error: unknown, settings: ClickHouseSettings): unknown {
	if (error instanceof NotAdopted) return new CommandError(EXIT_DATA, `Nothing was done: ${error.message}.`);
	const explained = toOpenError(error, settings);
	if (!(explained instanceof ClickHouseOpenError)) return explained;
	return new CommandError(EXIT_SETTINGS, `Nothing was done: ${explained.message}.`);
}
