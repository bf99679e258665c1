import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { TABLES } from "../tables.ts";

/** A look is worth less than what it would hold up. */
const LONGEST_LOOK_SECONDS = 2;

/** The share of the parts at which inserts are refused that merges should stay below. */
const SHARE = 1 / 3;

/** A setting of a table, its own or else the server's; 0 is no limit. */
function limit(name: string): string {
	const value = `coalesce(
		toFloat64OrNull(extract(engine_full, '\\\\b${name} = (\\\\d+)')),
		(select toFloat64OrNull(value) from system.merge_tree_settings where name = '${name}')
	)`;
	return `coalesce(nullIf(${value}, 0), inf)`;
}

const FULLEST = `
	from (
		select table, max(parts) as parts
		from (
			select table, partition_id, count() as parts
			from system.parts
			where database = currentDatabase() and table in {tables:Array(String)} and active
			group by table, partition_id
		) as partitions
		group by table
	) as fullest
	inner join (
		select name, ${limit("parts_to_throw_insert")} as most,
			least(most * ${SHARE}, ${limit("parts_to_delay_insert")}) as parts
		from system.tables
		where database = currentDatabase() and name in {tables:Array(String)}
	) as limits on fullest.table = limits.name`;

const STATEMENT = `select coalesce(max(fullest.parts / limits.parts), 0) as strain ${FULLEST}`;

/** The parts of the fullest partition as a share of those at which ClickHouse refuses inserts. */
export const SHARE_OF_PARTS = {
	statement: `select coalesce(max(fullest.parts / limits.most), 0) as share ${FULLEST}`,
	columns: { share: types.Float64 },
	params: { tables: TABLES.map(({ name }) => name) },
};

/**
 * How many parts the fullest partition of the tables has, compared with those that are too many: a third of those at which
 * ClickHouse refuses inserts, or as many as make it delay them. Beyond 1, merges do not keep up.
 * @throws ClickHouseFailure
 */
export async function strainOfParts(shard: Shard, signal: AbortSignal): Promise<number> {
	const rows = await shard.select(
		STATEMENT,
		{ strain: types.Float64 },
		{
			params: SHARE_OF_PARTS.params,
			settings: { max_execution_time: LONGEST_LOOK_SECONDS },
			isProbe: true,
			signal,
		},
	);
	return rows[0]?.strain ?? 0;
}
