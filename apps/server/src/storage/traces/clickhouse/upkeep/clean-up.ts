import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { TABLES } from "../tables.ts";

/**
 * Takes deleted rows off the disk: merges the parts of a partition that has some into one, which drops them and what they
 * take the place of. Partitions without deleted rows are left alone.
 * @param stopped ends it between two partitions
 * @returns the number of partitions
 * @throws ClickHouseFailure
 */
export async function cleanUp(shard: Shard, stopped: AbortSignal): Promise<number> {
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

/** The bytes of rows that are deleted and still on the disk, about. */
export async function pendingBytes(shard: Shard): Promise<number> {
	let bytes = 0;
	for (const { name, orderBy } of TABLES) {
		// Content of a deleted row is in the rows that it takes the place of.
		const [row] = await shard.select(
			`select sum(byteSize(*)) as bytes from ${name}
			where (${orderBy.join(", ")}) in (select ${orderBy.join(", ")} from ${name} where is_deleted = 1)`,
			{ bytes: types.Count },
			{ settings: { final: 0 } },
		);
		bytes += row?.bytes ?? 0;
	}
	return bytes;
}

/** ClickHouse makes these ids of numbers, or of hashes in hex. */
function checked(partitionId: string): string {
	if (!/^[0-9a-z_-]+$/i.test(partitionId)) throw new Error("ClickHouse names a partition in an unknown way");
	return partitionId;
}
