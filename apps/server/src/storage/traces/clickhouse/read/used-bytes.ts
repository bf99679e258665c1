import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";

/** Bytes of the parts that are in use, compressed, of all tables. @throws ClickHouseFailure */
export async function readUsedBytes(shard: Shard): Promise<number> {
	const [size] = await shard.select(
		"select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase() and active",
		{ bytes: types.Count },
	);
	return size?.bytes ?? 0;
}
