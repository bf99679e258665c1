import type { Parameters } from "#storage/clickhouse/node.ts";
import type { Columns } from "#storage/clickhouse/row-binary.ts";
import type { AskOptions, ShardReader } from "#storage/clickhouse/shard.ts";
import type { Table, TableRow } from "../tables.ts";

/** A condition with the values of its parameters. */
export interface Where {
	readonly sql: string;
	readonly params: Parameters;
}

/** Which shards may have the rows, how many there may be, and whether the server asks it for itself. */
export interface Asked extends Pick<AskOptions, "traceIds" | "most" | "isProbe"> {
	/** A statement that would read more rows reaches a bound; any number when absent. */
	readonly mostRead?: number | undefined;
}

/** Settings of statements that read one row for each key of the tables behind which they write `final`. */
const BY_KEY = {
	// A key is in one partition, as the partition follows from it.
	do_not_merge_across_partitions_select_final: 1,
	use_skip_indexes_if_final: 1,
	use_skip_indexes_if_final_exact_mode: 1,
} as const;
/** The same of all tables. */
const FINAL = { ...BY_KEY, final: 1 } as const;

/** The rows that fulfil a condition, each key once; in no order unless `suffix` says one. */
export async function findRows<Of extends Columns>(
	shard: ShardReader,
	table: Table<Of>,
	{ sql, params }: Where,
	suffix = "",
	asked: Asked = {},
): Promise<TableRow<Table<Of>>[]> {
	const columns = Object.keys(table.columns).join(", ");
	return await selectFinal(
		shard,
		`select ${columns} from ${table.name} where ${sql} ${suffix}`,
		table.columns,
		params,
		asked,
	);
}

/** Selects other columns than those of a table, as `findRows` does. */
export async function selectFinal<Of extends Columns>(
	shard: ShardReader,
	statement: string,
	columns: Of,
	params: Parameters = {},
	{ mostRead, ...asked }: Asked = {},
): Promise<TableRow<Table<Of>>[]> {
	const bound =
		mostRead === undefined ? {} : { max_rows_to_read: String(mostRead), read_overflow_mode: "throw" as const };
	return await shard.select(statement, columns, { ...asked, params, settings: { ...FINAL, ...bound } });
}

/**
 * As `selectFinal`, of a statement that writes `final` behind the tables of which it reads one row for each key, and says
 * by their keys where these are. Rows of the other tables may have been replaced or deleted.
 */
export async function selectByKey<Of extends Columns>(
	shard: ShardReader,
	statement: string,
	columns: Of,
	params: Parameters = {},
	asked: Omit<Asked, "mostRead"> = {},
): Promise<TableRow<Table<Of>>[]> {
	return await shard.select(statement, columns, { ...asked, params, settings: BY_KEY });
}

/** SQL that all databases share, where ClickHouse writes something else. */
export function inClickHouse(sql: string): string {
	return sql.replaceAll(/([a-z_]+\.flags) & (\d+)/g, "bitAnd($1, $2)");
}
