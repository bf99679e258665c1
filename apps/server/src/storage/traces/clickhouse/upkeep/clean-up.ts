import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { TABLES } from "../tables.ts";

/**
 * Takes deleted rows off the disk: merges the parts of a partition that has some into one, which drops them and what they
 * take the place of. Partitions without deleted rows are left alone.
 * @param stopped ends it between two partitions
 * @returns the number of partitions
 * @throws StorageUnavailable
 */
export async function cleanUp({ list }: TraceShards, stopped: AbortSignal): Promise<number> {
	let cleaned = 0;
	for (const shard of list) cleaned += await cleanUpShard(shard, stopped);
	return cleaned;
}

async function cleanUpShard(shard: Shard, stopped: AbortSignal): Promise<number> {
	let cleaned = 0;
	for (const { name } of TABLES) {
		const partitions = await shard.select(
			`select distinct _partition_id as id from ${name} where is_deleted = 1`,
			{ id: types.Text },
			{ settings: { final: 0 } },
		);
		for (const { id } of partitions) {
			if (stopped.aborted) return cleaned;
			await shard.execute(`optimize table ${name} partition id '${checked(id)}' final cleanup`);
			cleaned += 1;
		}
	}
	return cleaned;
}

/** ClickHouse makes these ids of numbers, or of hashes in hex. */
function checked(partitionId: string): string {
	if (!/^[0-9a-z_-]+$/i.test(partitionId)) throw new Error("ClickHouse names a partition in an unknown way");
	return partitionId;
}
