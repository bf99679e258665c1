import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { SIGNATURES } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";

/*
 * Up to which version the contents of a shard are in the text index. It is a row of the table of signatures itself, so
 * that a backup or a search that has the row has the signatures, which were there before it.
 */

/** The project of rows that tell progress; the number of such a row is that of its shard in the list, from 0. */
export const NO_PROJECT = 0;
/** In the year 2093, so that no volume for old data gets it. */
const AT_MICROS = 3_900_000_000_000_000;

/** 0 when there is no index yet. */
export async function readProgress(shard: Shard, number: number): Promise<number> {
	const [row] = await shard.select(
		`select toInt64(max(version)) as until from ${SIGNATURES.name}
		where project_id = ${NO_PROJECT} and number = {number:UInt32}`,
		{ until: types.Integer },
		{ params: { number } },
	);
	return row?.until ?? 0;
}

export async function noteProgress(shard: Shard, number: number, until: number): Promise<void> {
	const place = { project_id: NO_PROJECT, from_micros: AT_MICROS, to_micros: AT_MICROS, first_id: 0, last_id: 0 };
	const row = { ...place, until: 0, number, signature: Buffer.alloc(0), version: until, is_deleted: 0 };
	await insertRows(shard, SIGNATURES, [row], `text index of ${number} until ${until}`);
}

/** Of each shard how many contents are not in the index, replaced ones included. */
export async function countUnsigned({ list }: TraceShards): Promise<number[]> {
	return await Promise.all(
		list.map(async (shard, number) => {
			const [row] = await shard.select(
				"select count() as count from span_contents where version > {until:Int64} and is_deleted = 0",
				{ count: types.Count },
				{ params: { until: await readProgress(shard, number) }, settings: { final: 0 } },
			);
			return row?.count ?? 0;
		}),
	);
}
