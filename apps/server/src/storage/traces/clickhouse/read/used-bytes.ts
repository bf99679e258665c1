import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";

/** Bytes of the parts that are in use, compressed, of all tables. @throws ClickHouseFailure */
export async function readUsedBytes(shards: ShardReader): Promise<number> {
	const sizes = await shards.select(
		"select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase() and active",
		{ bytes: types.Count },
	);
	return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
}
