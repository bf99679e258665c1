import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { OlderRows } from "#storage/trace-place.ts";
import { selectFinal } from "../read/query.ts";
import { olderSql } from "./older.ts";

/** How many rows of a table a former reading has made. @throws StorageUnavailable */
export async function countOlder(shards: ShardReader, table: keyof OlderRows): Promise<number> {
	const rows = await selectFinal(
		shards,
		`select count() as count from ${table} where ${olderSql(table)}`,
		{ count: types.Count },
		{},
		{ isProbe: true },
	);
	return rows.reduce((sum, { count }) => sum + count, 0);
}

export async function countOlderRows(shards: ShardReader): Promise<OlderRows> {
	const [spans, traces] = await Promise.all([countOlder(shards, "spans"), countOlder(shards, "traces")]);
	return { spans, traces };
}
