import type { Parameters } from "#storage/clickhouse/node.ts";
import type { Columns } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Table, TableRow } from "../tables.ts";

/** A condition with the values of its parameters. */
export interface Where {
	readonly sql: string;
	readonly params: Parameters;
	/** Both ends included. */
	readonly range?: { readonly column: string; readonly from: number; readonly to: number };
}

/** Settings of statements that read one row for each key. */
const FINAL = {
	final: 1,
	// A key is in one partition, as the partition follows from it.
	do_not_merge_across_partitions_select_final: 1,
	use_skip_indexes_if_final: 1,
	use_skip_indexes_if_final_exact_mode: 1,
} as const;

/** The rows that fulfil a condition, each key once; in no order unless `suffix` says one. */
export async function findRows<Of extends Columns>(
	shard: Shard,
	table: Table<Of>,
	{ sql, params, range }: Where,
	suffix = "",
): Promise<TableRow<Table<Of>>[]> {
	const within = range === undefined ? "" : ` and ${range.column} between {range_from:Int64} and {range_to:Int64}`;
	return await shard.select(
		`select ${Object.keys(table.columns).join(", ")} from ${table.name} where ${sql}${within} ${suffix}`,
		table.columns,
		{
			params: { ...params, ...(range && { range_from: range.from, range_to: range.to }) },
			settings: FINAL,
		},
	);
}

/** Selects other columns than those of a table, as `findRows` does. */
export async function selectFinal<Of extends Columns>(
	shard: Shard,
	statement: string,
	columns: Of,
	params: Parameters = {},
): Promise<TableRow<Table<Of>>[]> {
	return await shard.select(statement, columns, { params, settings: FINAL });
}

/** The right side of `in` for ids in hex that are a parameter; also found by a primary key. */
export function idList(parameter: string, bytes: 8 | 16): string {
	return `(select toFixedString(unhex(arrayJoin({${parameter}:Array(String)})), ${bytes}))`;
}

/** SQL that all databases share, where ClickHouse writes something else. */
export function inClickHouse(sql: string): string {
	return sql.replaceAll(/([a-z_]+\.flags) & (\d+)/g, "bitAnd($1, $2)");
}
