import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import { openEachShard, type Shard } from "#storage/clickhouse/shard.ts";
import { noteFact, readFact } from "./facts.ts";
import { type FoundTable, findTables, listDifferences } from "./schema-differences.ts";
import { columnDefinitions, FACTS, partitionSql, TABLES, type Table } from "./tables.ts";

/** How tables are made, beyond what they hold. */
export type TableOptions = Pick<ClickHouseSettings, "durability" | "storagePolicy">;

/** The version of the tables that this Spanward works with; it grows with each change of them. */
export const SCHEMA_VERSION = 1;
/** The oldest server that is supported. */
const OLDEST = [25, 8] as const;
export const OLDEST_VERSION = OLDEST.join(".");
/** Blocks whose repetition is recognised by their token, a table. */
const REMEMBERED_BLOCKS = 10_000;
const FSYNC = ["fsync_after_insert", "fsync_part_directory"] as const;

/** The statement that makes a table. */
export function createTable(table: Table, { durability, storagePolicy }: TableOptions): string {
	const { name, orderBy, partitionBy, indexes = [], granularity } = table;
	const settings = [
		`index_granularity = ${granularity}`,
		`non_replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
		// For `optimize … cleanup`, which drops deleted rows.
		"allow_experimental_replacing_merge_with_cleanup = 1",
		...(durability === "full" ? FSYNC.map((setting) => `${setting} = 1`) : []),
		...(storagePolicy === undefined ? [] : [`storage_policy = '${storagePolicy}'`]),
	];
	return [
		`create table if not exists ${name} (${[...columnDefinitions(table), ...indexes].join(", ")})`,
		"engine = ReplacingMergeTree(version, is_deleted)",
		...(partitionBy === undefined ? [] : [`partition by ${partitionSql(partitionBy)}`]),
		`order by (${orderBy.join(", ")})`,
		`settings ${settings.join(", ")}`,
	].join("\n");
}

/** Makes the tables that are missing. @throws ClickHouseFailure */
export async function createTables(shard: Shard, options: TableOptions): Promise<void> {
	for (const table of TABLES) await shard.execute(createTable(table, options));
}

/**
 * Makes the database where it is missing, on each shard.
 * @throws ClickHouseFailure; ClickHouseOpenError when the server, or the engine of the database, is one that Spanward
 * does not know
 */
export async function prepareDatabase(settings: ClickHouseSettings): Promise<void> {
	// A statement in a database that is missing is refused.
	for (const server of openEachShard(settings, "system")) await prepareDatabaseOf(server, settings);
}

async function prepareDatabaseOf(opened: Shard, settings: ClickHouseSettings): Promise<void> {
	const { database } = settings;
	await using shard = opened;
	const [server] = await shard.select("select version() as version", { version: types.Text });
	checkServerVersion(server?.version ?? "", settings);
	const engine = await findDatabaseEngine(shard, database);
	if (engine === undefined) await shard.execute(`create database if not exists ${database}`);
	if (engine === "Replicated")
		throw new ClickHouseOpenError(
			`the database ${database} of ClickHouse is a replicated one, in which Spanward cannot keep traces yet: SERVICE_CLICKHOUSE_DATABASE has to name another`,
			["SERVICE_CLICKHOUSE_DATABASE"],
		);
}

/** The engine of a database; undefined where there is none of that name. @throws ClickHouseFailure */
export async function findDatabaseEngine(node: Pick<Shard, "select">, database: string): Promise<string | undefined> {
	const find = "select engine from system.databases where name = {database:String}";
	const [found] = await node.select(find, { engine: types.Text }, { params: { database } });
	return found?.engine;
}

/** Whether a server is of a version that Spanward knows. */
export function isSupported(version: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function checkServerVersion(version: string, settings: ClickHouseSettings): void {
	if (isSupported(version)) return;
	throw new ClickHouseOpenError(
		`ClickHouse at ${nodeNames(settings)} has version ${version}, and Spanward needs ${OLDEST_VERSION} or newer: upgrade it`,
		["SERVICE_CLICKHOUSE_URL"],
	);
}

/** What was found in a database whose tables are those of Spanward, as far as they are there. */
export interface CheckedTables {
	readonly found: ReadonlyMap<string, FoundTable>;
	/** That of the schema; undefined until all tables were made. */
	readonly version: string | undefined;
}

/**
 * Makes the tables in an empty database, and otherwise checks that they are those of this version. Columns, projections
 * and views that somebody has added are left alone. Nobody else may do it meanwhile; after a kill it goes on where it was.
 * @throws ClickHouseFailure; ClickHouseOpenError when the tables are of somebody else, of a newer version, or changed
 */
export async function prepareTables(shard: Shard, settings: ClickHouseSettings): Promise<void> {
	const { found, version } = await checkTables(shard, settings);
	if (version === undefined) {
		await createTables(shard, settings);
		await noteFact(shard, "schema_version", String(SCHEMA_VERSION));
	}
	for (const { name } of TABLES) await setDurability(shard, found.get(name), settings);
}

/** Checks tables as {@link prepareTables} does, and changes nothing. @throws as `prepareTables` */
export async function checkTables(
	shard: Shard,
	{ database }: Pick<ClickHouseSettings, "database">,
): Promise<CheckedTables> {
	const found = await findTables(shard);
	const ours = TABLES.filter(({ name }) => found.has(name));
	if (ours.length === 0 && found.size > 0)
		throw refused(
			`the database ${database} of ClickHouse has tables of another program (${[...found.keys()].slice(0, 3).join(", ")}): leave them to it`,
		);
	const differences = ours.flatMap((table) => listDifferences(table, found.get(table.name)));
	// The table of facts is the first that is made.
	const hasFacts = found.has(FACTS.name) && !differences.some(({ table }) => table === FACTS.name);
	const version = hasFacts ? await readFact(shard, "schema_version") : undefined;
	if (version !== undefined && Number(version) > SCHEMA_VERSION)
		throw refused(
			`the tables in the database ${database} of ClickHouse have version ${version}, and this Spanward knows versions up to ${SCHEMA_VERSION}: start the newer Spanward that made them`,
		);
	const missing = TABLES.filter(({ name }) => !found.has(name)).map(({ name }) => ({
		table: name,
		what: "is missing",
	}));
	const wrong = [...differences, ...(version === undefined ? [] : missing)];
	if (wrong.length > 0)
		throw refused(
			`tables in the database ${database} of ClickHouse are not those of Spanward: ${wrong.map(({ table, what }) => `${table} ${what}`).join("; ")}; put them back from a backup`,
		);
	return { found, version };
}

function refused(text: string): ClickHouseOpenError {
	return new ClickHouseOpenError(`${text}, or name another database in SERVICE_CLICKHOUSE_DATABASE`, [
		"SERVICE_CLICKHOUSE_DATABASE",
	]);
}

async function setDurability(
	shard: Shard,
	table: FoundTable | undefined,
	{ durability }: Pick<ClickHouseSettings, "durability">,
): Promise<void> {
	if (table === undefined) return;
	const set = FSYNC.filter((setting) => isSet(table, setting));
	if (durability === "full" && set.length < FSYNC.length)
		await shard.execute(`alter table ${table.name} modify setting ${FSYNC.map((name) => `${name} = 1`).join(", ")}`);
	if (durability === "relaxed" && set.length > 0)
		await shard.execute(`alter table ${table.name} reset setting ${set.join(", ")}`);
}

/** Whether inserts into the table are on the disk when they are answered. */
export function isDurable(table: FoundTable): boolean {
	return FSYNC.every((setting) => isSet(table, setting));
}

function isSet({ engineFull }: FoundTable, setting: string): boolean {
	return engineFull.includes(`${setting} = 1`);
}
