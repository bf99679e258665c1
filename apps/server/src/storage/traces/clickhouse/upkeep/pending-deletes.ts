import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { TABLES } from "../tables.ts";

/**
 * What rows that are deleted, or that a deletion took the place of, still take on the disk: of each partition the part
 * that its deleted rows are of its others. Once a merge has dropped the rows that they took the place of, it is less.
 * @throws StorageUnavailable; ClickHouseFailure where `system.parts` may not be read
 */
export async function pendingBytes(shards: ShardReader): Promise<number> {
	let bytes = 0;
	for (const { name } of TABLES) {
		const rows = await shards.select(
			`select sum(size * least(1, deleted / greatest(1, rows - deleted))) as bytes
			from (
				select _partition_id as partition, countIf(is_deleted = 1) as deleted, count() as rows from ${name}
				group by partition having deleted > 0
			) as some
			join (
				select partition_id as partition, sum(bytes_on_disk) as size from system.parts
				where database = currentDatabase() and table = {table:String} and active group by partition
			) as parts using partition`,
			{ bytes: types.Float64 },
			{ params: { table: name }, settings: { final: 0 } },
		);
		bytes += rows.reduce((sum, row) => sum + row.bytes, 0);
	}
	return Math.round(bytes);
}
