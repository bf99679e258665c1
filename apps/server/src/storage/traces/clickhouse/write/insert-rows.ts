import { type Columns, RowWriter, writeRow } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Table, TableRow } from "../tables.ts";

/**
 * Stores rows of one table. A repeat with the same token, which names the batch and the table, changes nothing.
 * @throws ClickHouseFailure
 */
export async function insertRows<Of extends Columns>(
	shard: Shard,
	table: Table<Of>,
	rows: readonly TableRow<Table<Of>>[],
	token: string,
): Promise<void> {
	if (rows.length === 0) return;
	const to = new RowWriter();
	for (const row of rows) writeRow(table.columns, to, row);
	await shard.insert(table.name, table.columns, to.bytes(), { token: `${token} ${table.name}` });
}
