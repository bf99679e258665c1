import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { inParts } from "./bounds.ts";
import { selectFinal } from "./query.ts";

/** Which of these sessions, row numbers, have a trace on any shard. */
export async function usedSessions(shards: ShardReader, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
	const rows = await inParts(rowIds, (sessions) =>
		selectFinal(
			shards,
			"select distinct assumeNotNull(session_row_id) as id from traces where session_row_id in {sessions:Array(Int64)}",
			{ id: types.Integer },
			{ sessions },
		),
	);
	return new Set(rows.map(({ id }) => id));
}
