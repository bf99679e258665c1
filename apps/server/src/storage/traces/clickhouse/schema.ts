import { READING } from "@spanward/semconv";
import type { ClickHouseSettings, Topology } from "#base/clickhouse-address.ts";
import { ClickHouseFailure, failureOf } from "#storage/clickhouse/failures.ts";
import { isReplicated } from "#storage/clickhouse/insert-settings.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import { openEachShard, type Shard } from "#storage/clickhouse/shard.ts";
import { NO_PROJECT } from "#storage/traces/content/log-record.ts";
import {
	addColumn,
	addIndex,
	alterSettings,
	createDatabase,
	createTable,
	FSYNC,
	MOVES_CHEAPLY,
	moveByAge,
	NO_STATISTICS,
	type TableOptions,
} from "./create-table.ts";
import { noteFact, readFact } from "./facts.ts";
import { describeEngines, type FoundTable, findTables, listDifferences } from "./schema-differences.ts";
import {
	CONTENT_VERSIONS,
	CONTENTS,
	FACTS,
	LOG_RECORDS,
	READINGS,
	SPANS,
	TABLES,
	type Table,
	TRACE_BATCHES,
	TRACE_PLACES,
	TRACES,
} from "./tables.ts";
import { commonTopology, findDatabaseEngine, findTopology } from "./topology.ts";

/** The version of the tables that this Spanward works with; it grows with each change of them. */
export const SCHEMA_VERSION = 5;
/** The oldest server that is supported. */
const OLDEST = [25, 8] as const;
export const OLDEST_VERSION = OLDEST.join(".");
const UNKNOWN_DATABASE = 81;
/** READONLY, with which `allow_feature_tier` refuses what is experimental, and SETTING_CONSTRAINT_VIOLATION. */
const REFUSED_SETTING: ReadonlySet<number | undefined> = new Set([164, 452]);
/** For which replicas that are away are waited for, when all of them are told something. */
const REPLICAS_WITHIN_SECONDS = 20;

/** Makes the tables that are missing. @throws ClickHouseFailure */
export async function createTables(shard: Shard, options: TableOptions): Promise<void> {
	let mergesDropRows = true;
	const made = { ...options, makesStatistics: await makesStatistics(shard) };
	for (const table of TABLES) {
		const create = () => define(shard, createTable(table, { ...made, mergesDropRows }), options);
		try {
			await create();
		} catch (error) {
			if (!mergesDropRows || !REFUSED_SETTING.has(failureOf(error)?.code)) throw error;
			mergesDropRows = false;
			await create();
		}
	}
}

async function makesStatistics(shard: Shard): Promise<boolean> {
	const rows = await shard.select(
		"select name from system.merge_tree_settings where name = {name:String}",
		{ name: types.Text },
		{ params: { name: NO_STATISTICS.name } },
	);
	return rows.length > 0;
}

/** Runs a statement that may have to be done by every replica before it is answered. */
async function define(shard: Shard, statement: string, { topology }: Pick<TableOptions, "topology">): Promise<void> {
	const settings = {
		distributed_ddl_task_timeout: String(REPLICAS_WITHIN_SECONDS),
		distributed_ddl_output_mode: "throw",
	} as const;
	await shard.execute(statement, isReplicated(topology) ? { settings } : {});
}

/**
 * Makes the database where it is missing, on each shard, and finds out how rows are kept.
 * @returns the settings with what was found, for those who make tables and insert
 * @throws ClickHouseFailure; ClickHouseOpenError when the server is one that Spanward does not know, or the settings name
 * what it does not have
 */
export async function prepareDatabase(settings: ClickHouseSettings): Promise<ClickHouseSettings> {
	const topologies: Topology[] = [];
	// A statement in a database that is missing is refused.
	for (const server of openEachShard(settings, "system")) topologies.push(await prepareDatabaseOf(server, settings));
	return { ...settings, topology: commonTopology(topologies, settings) };
}

async function prepareDatabaseOf(opened: Shard, settings: ClickHouseSettings): Promise<Topology> {
	const { database } = settings;
	await using shard = opened;
	const [server] = await shard.select("select version() as version", { version: types.Text });
	checkServerVersion(server?.version ?? "", settings);
	const topology = await findTopology(shard, settings);
	const found = { ...settings, topology };
	if ((await findDatabaseEngine(shard, database)) === undefined) await define(shard, createDatabase(found), found);
	return topology;
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

/** What changes tables of a former version; each statement may be run again. */
export function changesSince(version: number, options: TableOptions): string[] {
	return [
		...(version < 2 ? versionTwo(options) : []),
		...(version < 3 ? versionThree(options) : []),
		...(version < 4 ? versionFour(options) : []),
		...(version < 5 ? [addColumn(SPANS, "api_key_id", options)] : []),
	];
}

function versionTwo(options: TableOptions): string[] {
	return [
		addColumn(TRACES, "batch", options),
		addIndex(TRACES.name, TRACE_BATCHES, options),
		addIndex(CONTENTS.name, CONTENT_VERSIONS, options),
	];
}

function versionThree(options: TableOptions): string[] {
	const readings = [SPANS, TRACES].flatMap((table) => [
		addColumn(table, "reading", options),
		addIndex(table.name, READINGS, options),
	]);
	return [...readings, ...projectsOfLogs(options)];
}

/** Rows of before are of a former reading. */
function versionFour(options: TableOptions): string[] {
	return [
		...["release", "environment"].map((column) => addColumn(SPANS, column, options)),
		...["release_span", "release", "environment_span", "environment"].map((column) =>
			addColumn(TRACES, column, options),
		),
	];
}

/**
 * Log records get the projects that have their trace on this shard, as rows with the hash of `hashInProject`. Those
 * without a project stay: if their trace does not come, they go as those of no trace do.
 */
function projectsOfLogs(options: TableOptions): string[] {
	const { project_id: _project, hash: _hash, ...same } = LOG_RECORDS.columns;
	const columns = Object.keys(same).join(", ");
	return [
		addColumn(LOG_RECORDS, "project_id", options),
		`insert into ${LOG_RECORDS.name} (${columns}, hash, project_id)
			select ${columns}, toFixedString(substring(SHA256(concat(hash, toString(owner))), 1, 16), 16), owner
			from (select ${columns}, hash from ${LOG_RECORDS.name} final where project_id = ${NO_PROJECT}) as logs
			inner join (
				select trace_id, project_id as owner from ${TRACE_PLACES.name} final
				where trace_id in (select trace_id from ${LOG_RECORDS.name} where project_id = ${NO_PROJECT})
			) as places using (trace_id)`,
	];
}

/**
 * Makes the tables in an empty database, changes those of a former version, and otherwise checks that they are those of
 * this version. Columns, projections and views that somebody has added are left alone. Nobody else may do it meanwhile; after a kill it goes on where it was.
 * @throws ClickHouseFailure; ClickHouseOpenError when the tables are of somebody else, of a newer version, or changed
 */
export async function prepareTables(shard: Shard, settings: ClickHouseSettings): Promise<void> {
	const { found, version } = await checkTables(shard, settings);
	const isOld = version !== undefined && Number(version) < SCHEMA_VERSION;
	if (version === undefined || isOld || (await isIncomplete(shard, settings))) await createTables(shard, settings);
	if (isOld) for (const statement of changesSince(Number(version), settings)) await define(shard, statement, settings);
	if (version === undefined) await noteFact(shard, "reading", String(READING));
	if (version === undefined || isOld) await noteFact(shard, "schema_version", String(SCHEMA_VERSION));
	const hasStatistics = found.size > 0 && (await makesStatistics(shard));
	for (const table of TABLES) {
		const asFound = found.get(table.name);
		if (asFound === undefined) continue;
		if (hasStatistics && !asFound.engineFull.includes(NO_STATISTICS.name))
			await define(shard, alterSettings(table.name, `modify setting ${NO_STATISTICS.sql}`, settings), settings);
		await setDurability(shard, asFound, settings);
		await setMoves(shard, table, asFound, settings);
	}
}

/** Whether a replica of a cluster lacks tables, as one does that was away or is new. */
async function isIncomplete(shard: Shard, settings: ClickHouseSettings): Promise<boolean> {
	if (settings.topology?.kind !== "cluster") return false;
	const counts = await Promise.all(shard.nodes.map(countTables));
	const lacking = counts.some((count) => count !== undefined && count < TABLES.length);
	if (lacking) await define(shard, createDatabase(settings), settings);
	return lacking;
}

/** Undefined for a node that cannot be asked now. */
async function countTables(node: ClickHouseNode): Promise<number | undefined> {
	const names = TABLES.map(({ name }) => name);
	try {
		const [row] = await node.select(
			"select count() as count from system.tables where database = currentDatabase() and name in {names:Array(String)}",
			{ count: types.Count },
			{ params: { names } },
		);
		return row?.count;
	} catch (error) {
		if (!(error instanceof ClickHouseFailure)) throw error;
		return error.code === UNKNOWN_DATABASE ? 0 : undefined;
	}
}

/** Checks tables as {@link prepareTables} does, and changes nothing. @throws as `prepareTables` */
export async function checkTables(
	shard: Shard,
	{ database, topology }: Pick<ClickHouseSettings, "database" | "topology">,
): Promise<CheckedTables> {
	const found = await findTables(shard);
	const ours = TABLES.filter(({ name }) => found.has(name));
	if (ours.length === 0 && found.size > 0)
		throw refused(
			`the database ${database} of ClickHouse has tables of another program (${[...found.keys()].slice(0, 3).join(", ")}): leave them to it`,
		);
	const engines = topology && describeEngines(ours, found, topology);
	if (engines !== undefined)
		throw new ClickHouseOpenError(`tables in the database ${database} of ClickHouse ${engines}`, [
			"SERVICE_CLICKHOUSE_CLUSTER",
			"SERVICE_CLICKHOUSE_DATABASE",
		]);
	// The table of facts is the first that is made.
	const facts = found.get(FACTS.name);
	const hasFacts = facts !== undefined && listDifferences(FACTS, facts).length === 0;
	const version = hasFacts ? await readFact(shard, "schema_version") : undefined;
	const known = version === undefined ? SCHEMA_VERSION : Number(version);
	const differences = ours.flatMap((table) => listDifferences(table, found.get(table.name), known));
	if (version !== undefined && Number(version) > SCHEMA_VERSION)
		throw refused(
			`the tables in the database ${database} of ClickHouse have version ${version}, and this Spanward knows versions up to ${SCHEMA_VERSION}: start the newer Spanward that made them`,
		);
	const expected = TABLES.filter(({ since = 1 }) => version !== undefined && since <= Number(version));
	const missing = expected
		.filter(({ name }) => !found.has(name))
		.map(({ name }) => ({ table: name, what: "is missing" }));
	const wrong = [...differences, ...missing];
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

async function setDurability(shard: Shard, table: FoundTable, settings: ClickHouseSettings): Promise<void> {
	const set = FSYNC.filter((setting) => isSet(table, setting));
	const alter = (change: string) => define(shard, alterSettings(table.name, change, settings), settings);
	if (settings.durability === "full" && set.length < FSYNC.length)
		await alter(`modify setting ${FSYNC.map((name) => `${name} = 1`).join(", ")}`);
	if (settings.durability === "relaxed" && set.length > 0) await alter(`reset setting ${set.join(", ")}`);
}

/** Has rows move to a cold volume, or no more. A TTL of somebody else is left alone. */
async function setMoves(shard: Shard, table: Table, found: FoundTable, settings: ClickHouseSettings): Promise<void> {
	const [, theirs] = / TTL (.+?)(?: SETTINGS .*)?$/.exec(found.engineFull) ?? [];
	const isOurs =
		theirs !== undefined && /^toDateTime\(greatest\(0, least\(\d+, [^']*\) TO VOLUME '[\w-]+'$/.test(theirs);
	const ours = moveByAge(table, settings);
	if ((theirs !== undefined && !isOurs) || isSameText(theirs, ours)) return;
	if (ours === undefined) return await define(shard, `alter table ${table.name} remove ttl`, settings);
	await define(shard, alterSettings(table.name, `modify setting ${MOVES_CHEAPLY}`, settings), settings);
	await define(shard, `alter table ${table.name} modify ttl ${ours}`, settings);
}

/** ClickHouse writes keywords in its own way. */
function isSameText(found: string | undefined, wanted: string | undefined): boolean {
	return found?.toLowerCase() === wanted?.toLowerCase();
}

/** Whether inserts into the table are on the disk when they are answered. */
export function isDurable(table: FoundTable): boolean {
	return FSYNC.every((setting) => isSet(table, setting));
}

function isSet({ engineFull }: FoundTable, setting: string): boolean {
	return engineFull.includes(`${setting} = 1`);
}
