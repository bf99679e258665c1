import type { Shard } from "#storage/clickhouse/shard.ts";
import { columnDefinitions, partitionSql, TABLES, type Table } from "./tables.ts";

/** How tables are made, beyond what they hold. */
export interface TableOptions {
	/** Whether an insert is answered when the disk has it. */
	readonly durability: "full" | "relaxed";
	readonly storagePolicy?: string;
}

/** Blocks whose repetition is recognised by their token, a table. */
const REMEMBERED_BLOCKS = 10_000;

/** The statement that makes a table. */
export function createTable(table: Table, { durability, storagePolicy }: TableOptions): string {
	const { name, orderBy, partitionBy, indexes = [], granularity } = table;
	const settings = [
		`index_granularity = ${granularity}`,
		`non_replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
		// For `optimize … cleanup`, which drops deleted rows.
		"allow_experimental_replacing_merge_with_cleanup = 1",
		...(durability === "full" ? ["fsync_after_insert = 1", "fsync_part_directory = 1"] : []),
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
