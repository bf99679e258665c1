import { type Columns, RowWriter, writeRow } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { partitionOf, type Table, type TableRow } from "../tables.ts";

/** Of one insert; ClickHouse refuses more than 100 by default (252), and writes a part for each. */
const MOST_PARTITIONS = 50;
/** Of one insert, about. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Stores rows of one table, by several inserts where they are many. A repeat with the same token, which names the batch
 * and what the rows are for, changes nothing.
 * @throws StorageUnavailable; some of the rows may be stored then
 */
export async function insertRows<Of extends Columns>(
	shard: Shard,
	table: Table<Of>,
	rows: readonly TableRow<Table<Of>>[],
	token: string,
): Promise<void> {
	let number = 0;
	for (const bytes of insertsOf(table, rows)) {
		number += 1;
		await shard.insert(table.name, table.columns, bytes, { token: `${token} ${table.name} ${number}` });
	}
}

/** The rows in RowBinary, as many at a time as one insert may have; those of one partition are next to each other. */
function* insertsOf<Of extends Columns>(table: Table<Of>, rows: readonly TableRow<Table<Of>>[]): Generator<Buffer> {
	const { partitionBy } = table;
	const partitions = Map.groupBy(rows, (row) =>
		partitionBy === undefined ? 0 : partitionOf(Number(row[partitionBy])),
	);
	let to = new RowWriter();
	let inInsert = 0;
	for (const ofPartition of partitions.values()) {
		inInsert += 1;
		for (const row of ofPartition) {
			writeRow(table.columns, to, row);
			if (to.length < MOST_BYTES) continue;
			yield to.bytes();
			to = new RowWriter();
			inInsert = 1;
		}
		if (inInsert < MOST_PARTITIONS) continue;
		if (to.length > 0) yield to.bytes();
		to = new RowWriter();
		inInsert = 0;
	}
	if (to.length > 0) yield to.bytes();
}
