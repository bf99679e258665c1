import { failureOf } from "#storage/clickhouse/failures.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { OpenBatches } from "../integrity/open-batches.ts";
import type { Turns } from "../metadata/turns.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { TABLES } from "../tables.ts";

const SUPPORT_IS_DISABLED = 344;
/** Another merge is under way. */
const CANNOT_ASSIGN_OPTIMIZE = 388;

interface Cleaned {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly turns: Turns;
}

/**
 * Takes deleted rows off the disk: merges the parts of a partition that has some into one, which drops them and what they
 * take the place of. Partitions without deleted rows are left alone.
 * @param stopped ends it between two partitions
 * @returns the number of partitions
 * @throws StorageUnavailable
 */
export async function cleanUp({ shards, db, turns }: Cleaned, stopped: AbortSignal): Promise<number> {
	let cleaned = 0;
	for (const shard of shards.list) {
		let mergesDropRows = true;
		let below: number | undefined;
		for (const { name } of TABLES) {
			for (const id of await partitionsWithDeleted(shard, name)) {
				if (stopped.aborted) return cleaned;
				if (mergesDropRows) mergesDropRows = await mergeAway(shard, name, id);
				if (!mergesDropRows) {
					below ??= await completeBelow(db, turns);
					// What a process has left behind is repaired first.
					if (below === undefined) return cleaned;
					if (!(await deleteMarks(shard, name, id, below))) continue;
				}
				cleaned += 1;
			}
		}
	}
	return cleaned;
}

async function partitionsWithDeleted(shard: Shard, table: string): Promise<string[]> {
	const partitions = await shard.select(
		`select distinct _partition_id as id from ${table} where is_deleted = 1`,
		{ id: types.Text },
		{ settings: { final: 0 } },
	);
	return partitions.map(({ id }) => checked(id));
}

/** @returns false where the table was made in a ClickHouse that does not allow it */
async function mergeAway(shard: Shard, table: string, partition: string): Promise<boolean> {
	try {
		await shard.execute(`optimize table ${table} partition id '${partition}' final cleanup`);
		return true;
	} catch (error) {
		if (failureOf(error)?.code !== SUPPORT_IS_DISABLED) throw error;
		return false;
	}
}

/**
 * Merges, so that of each deleted row only the mark is left, and deletes the marks of complete batches: any other may be
 * in a part that was not merged with what it takes the place of.
 * @returns false where it has to be tried later
 */
async function deleteMarks(shard: Shard, table: string, partition: string, below: number): Promise<boolean> {
	try {
		await shard.execute(`optimize table ${table} partition id '${partition}' final`, {
			settings: { optimize_throw_if_noop: 1 },
		});
	} catch (error) {
		if (failureOf(error)?.code !== CANNOT_ASSIGN_OPTIMIZE) throw error;
		return false;
	}
	await shard.execute(
		`alter table ${table} delete in partition id '${partition}' where is_deleted = 1 and version < {below:UInt64}`,
		{ params: { below }, settings: { mutations_sync: "1" } },
	);
	return true;
}

/** A version below which everything is written that ever will be; undefined while a batch that was left behind may be. */
async function completeBelow(db: Database, turns: Turns): Promise<number | undefined> {
	const { version } = await turns.take({ projects: [], keys: [], spans: 0, traces: 0 }, async (turn) => turn);
	const open = new OpenBatches(db.read);
	return (await open.settle()) ? version : undefined;
}

/** ClickHouse makes these ids of numbers, or of hashes in hex. */
function checked(partitionId: string): string {
	if (!/^[0-9a-z_-]+$/i.test(partitionId)) throw new Error("ClickHouse names a partition in an unknown way");
	return partitionId;
}
