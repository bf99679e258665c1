import type { ClickHouseSettings, Topology } from "#base/clickhouse-address.ts";
import { columnDefinitions, partitionSql, type Table } from "./tables.ts";

/** How tables are made, beyond what they hold. */
export type TableOptions = Pick<
	ClickHouseSettings,
	"cluster" | "cold" | "database" | "durability" | "storagePolicy" | "topology"
> & {
	/** False where ClickHouse does not allow settings that are experimental. */
	readonly mergesDropRows?: boolean;
	/** False where ClickHouse makes no statistics of columns by itself. */
	readonly makesStatistics?: boolean;
};

/** Blocks whose repetition is recognised by their token, a table. */
const REMEMBERED_BLOCKS = 10_000;
/** Statistics of columns, which no statement needs, take a third of the merges and of the bytes of narrow tables. */
export const NO_STATISTICS = { name: "auto_statistics_types", sql: "auto_statistics_types = ''" } as const;
export const FSYNC = ["fsync_after_insert", "fsync_part_directory"] as const;
/** For what moves by age: parts that are there get to know when they move, and are not written anew for that. */
export const MOVES_CHEAPLY = "materialize_ttl_recalculate_only = 1";
const SECONDS_A_DAY = 86_400;
/** After the year 2093 a time and 3,650 days would be more than a DateTime can be. */
const LAST_SECOND = 3_900_000_000;

/** The statement that makes a table. */
export function createTable(table: Table, options: TableOptions): string {
	const { name, orderBy, partitionBy, indexes = [], granularity } = table;
	const { durability, storagePolicy, mergesDropRows = true, makesStatistics = true } = options;
	const ttl = moveByAge(table, options);
	const settings = [
		`index_granularity = ${granularity}`,
		`${deduplicationWindow(options.topology)} = ${REMEMBERED_BLOCKS}`,
		// For `optimize … cleanup`, which drops deleted rows.
		...(mergesDropRows ? ["allow_experimental_replacing_merge_with_cleanup = 1"] : []),
		...(makesStatistics ? [NO_STATISTICS.sql] : []),
		...(durability === "full" ? FSYNC.map((setting) => `${setting} = 1`) : []),
		...(storagePolicy === undefined ? [] : [`storage_policy = '${storagePolicy}'`]),
		...(ttl === undefined ? [] : [MOVES_CHEAPLY]),
	];
	return [
		`create table if not exists ${on(name, options)} (${[...columnDefinitions(table), ...indexes].join(", ")})`,
		`engine = ${engineOf(table, options)}`,
		...(partitionBy === undefined ? [] : [`partition by ${partitionSql(partitionBy)}`]),
		`order by (${orderBy.join(", ")})`,
		...(ttl === undefined ? [] : [`ttl ${ttl}`]),
		`settings ${settings.join(", ")}`,
	].join("\n");
}

export function createDatabase(options: Pick<TableOptions, "cluster" | "database" | "topology">): string {
	return `create database if not exists ${options.database}${onCluster(options)}`;
}

/**
 * What changes or drops settings of a table. ClickHouse does not replicate those: where tables are made on each replica,
 * it is told to each.
 */
export function alterSettings(
	name: string,
	change: string,
	options: Pick<TableOptions, "cluster" | "database" | "topology">,
): string {
	return `alter table ${on(name, options)} ${change}`;
}

/** What adds a column at the end of a table; older rows have its default, or that of its type. */
export function addColumn(
	table: Table,
	column: string,
	options: Pick<TableOptions, "cluster" | "database" | "topology">,
): string {
	const definition = columnDefinitions(table).find((one) => one.startsWith(`${column} `));
	return `alter table ${on(table.name, options)} add column if not exists ${definition}`;
}

/** What adds an index to a table, for parts that are written from then on. */
export function addIndex(
	name: string,
	index: string,
	options: Pick<TableOptions, "cluster" | "database" | "topology">,
): string {
	return `alter table ${on(name, options)} add ${index.replace("index ", "index if not exists ")}`;
}

/**
 * When rows of a table move to a cold volume, as ClickHouse is told; undefined where they stay. The start is bounded, as
 * senders invent times.
 */
export function moveByAge({ partitionBy }: Table, { cold }: Pick<TableOptions, "cold">): string | undefined {
	if (cold === undefined || partitionBy === undefined) return undefined;
	const start = `greatest(0, least(${LAST_SECOND}, intDiv(${partitionBy}, 1000000)))`;
	return `toDateTime(${start} + ${cold.afterDays * SECONDS_A_DAY}) to volume '${cold.volume}'`;
}

/** The nodes of a cluster may have another database as a default. */
function on(name: string, options: Pick<TableOptions, "cluster" | "database" | "topology">): string {
	return options.topology?.kind === "cluster" ? `${options.database}.${name}${onCluster(options)}` : name;
}

function onCluster({ cluster, topology }: Pick<TableOptions, "cluster" | "topology">): string {
	return topology?.kind === "cluster" ? ` on cluster \`${cluster}\`` : "";
}

function engineOf({ name }: Table, { database, topology }: TableOptions): string {
	const row = "version, is_deleted";
	switch (topology?.kind) {
		case "cluster":
			return `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${database}/${name}', '{replica}', ${row})`;
		case "replicated_database":
			return `ReplicatedReplacingMergeTree(${row})`;
		default:
			return `ReplacingMergeTree(${row})`;
	}
}

function deduplicationWindow(topology: Topology | undefined): string {
	return topology === undefined || topology.kind === "single"
		? "non_replicated_deduplication_window"
		: "replicated_deduplication_window";
}
