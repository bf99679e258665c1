import type { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { isUnfinished, readFact } from "#storage/traces/clickhouse/facts.ts";
import {
	hasSpans,
	highestNumbers,
	isAbove,
	isBeingCopied,
	lacksTraces,
	ofAnother,
} from "#storage/traces/clickhouse/installation.ts";
import { INSTALLATION_ID, readNotedFacts, SHARDS } from "#storage/traces/clickhouse/metadata/common-metadata.ts";
import { readCounters } from "#storage/traces/clickhouse/metadata/counters.ts";
import { countOlderRows } from "#storage/traces/clickhouse/readings/count-older.ts";
import { type CheckedTables, checkTables as findTables, isDurable } from "#storage/traces/clickhouse/schema.ts";
import { checkList } from "#storage/traces/clickhouse/shards/recorded-shards.ts";
import { ShardHistory } from "#storage/traces/clickhouse/shards/shard-history.ts";
import { SPANS, TABLES } from "#storage/traces/clickhouse/tables.ts";
import { noteFailure } from "./note-failure.ts";

const DURABILITY = ["SERVICE_DATABASE_DURABILITY"];

/** Checks that the tables are Spanward's, and as durable as the settings want them. @returns whether they are there */
export async function checkTables(shard: Shard, settings: ClickHouseSettings, steps: Steps): Promise<boolean> {
	let tables: CheckedTables;
	try {
		tables = await findTables(shard, settings);
	} catch (error) {
		noteFailure(error, settings, steps, "schema");
		return false;
	}
	if (tables.version === undefined) {
		steps.warn("schema", `The database ${settings.database} is empty; the server creates its tables at the start.`);
		return false;
	}
	steps.ok("schema", "The tables are those of this Spanward.");
	noteDurability(tables, settings, steps);
	// Tables of a former version do not say it yet.
	if (tables.found.get(SPANS.name)?.columns.has("reading") === true) await checkReadings(shard, steps);
	return true;
}

async function checkReadings(shard: Shard, steps: Steps): Promise<void> {
	const older = await countOlderRows(shard);
	const left = Object.entries(older).filter(([, count]) => count > 0);
	if (left.length === 0) {
		steps.ok("schema", "All rows say what this version reads of attributes.");
		return;
	}
	steps.warn(
		"schema",
		"Rows say what a former version read of attributes: a running server makes them anew. Until then pages of filtered lists may end early, and charts and the order by tokens or cost are those of the former version.",
		{ facts: left.map(([table, count]) => ({ name: `Older rows of ${table}`, value: String(count) })) },
	);
}

function noteDurability({ found }: CheckedTables, { durability }: ClickHouseSettings, steps: Steps): void {
	const synced = TABLES.map(({ name }) => found.get(name)).filter((table) => table !== undefined && isDurable(table));
	const facts = [{ name: "Tables with fsync_after_insert and fsync_part_directory", value: String(synced.length) }];
	if (synced.length !== (durability === "full" ? TABLES.length : 0))
		steps.warn(
			"durability",
			`The tables are not as SERVICE_DATABASE_DURABILITY=${durability} wants them; the next start changes that.`,
			{ settings: DURABILITY, facts },
		);
	else if (durability === "relaxed")
		steps.warn(
			"durability",
			"A loss of power at ClickHouse loses the last moments, by SERVICE_DATABASE_DURABILITY=relaxed.",
			{ settings: DURABILITY, facts },
		);
	else steps.ok("durability", "Everything acknowledged is on ClickHouse's disk.", { facts });
}

/** Checks that traces and metadata database belong together, and that no row number is given out twice. */
export async function checkInstallation(
	shard: Shard,
	settings: ClickHouseSettings,
	database: Database | undefined,
	steps: Steps,
): Promise<void> {
	if (database === undefined) {
		steps.skip("schema", "Whether the traces are those of this installation is not known without its other database.");
		return;
	}
	const own = (await readNotedFacts(database)).get(INSTALLATION_ID);
	const theirs = await readFact(shard, "installation_id");
	if (isUnfinished(theirs)) {
		noteFailure(isBeingCopied(settings), settings, steps, "schema");
		return;
	}
	if (theirs === undefined && !(await hasSpans(shard))) {
		if (own !== undefined && (await readCounters(database)).spans > 0)
			noteFailure(lacksTraces(settings), settings, steps, "schema");
		else steps.ok("schema", "There are no traces yet; the first start makes them those of this installation.");
		return;
	}
	if (theirs !== own || own === undefined) {
		noteFailure(ofAnother(settings), settings, steps, "schema");
		return;
	}
	const counted = await readCounters(database);
	if (isAbove(await highestNumbers(shard, counted), counted))
		steps.warn(
			"schema",
			"ClickHouse has higher row numbers than the other database has given out, as after restoring that one: the next start goes on above them.",
		);
	else steps.ok("schema", "The traces are those of this installation.");
}

/** Checks that the list has the shards of this installation in their order. */
export async function checkListOfShards(
	settings: ClickHouseSettings,
	database: Database | undefined,
	steps: Steps,
): Promise<void> {
	const noted = database && (await readNotedFacts(database));
	const own = noted?.get(INSTALLATION_ID);
	if (noted === undefined || own === undefined) {
		steps.skip("schema", "Which shards this installation has is not known without its other database.");
		return;
	}
	const history = noted.get(SHARDS);
	try {
		await checkList({
			settings,
			metadata: {
				installationId: async () => own,
				shardHistory: async () => (history === undefined ? undefined : ShardHistory.parse(history)),
			},
		});
		steps.ok("schema", "The list has the shards of this installation, in their order.");
	} catch (error) {
		noteFailure(error, settings, steps, "schema");
	}
}
