import type { ClientBase } from "pg";
import { present } from "#base/present.ts";

/** How many blocks have no signature yet, counted up to `most`. */
export async function countUnindexedBlocks(client: Pick<ClientBase, "query">, most: number): Promise<number> {
	const { rows } = await client.query<{ count: number }>(
		`select count(*) as count from (
			(select from block_text_waiting limit $1)
			union all (
				select from block_text_unsigned
					cross join lateral (select from blocks where id between first_block and last_block limit $1) as blocks
				limit $1
			)
			limit $1
		) as unsigned`,
		[most],
	);
	return present(rows[0], "the count of blocks").count;
}

/** The number of partitions of spans, and whether there are some for now and for the times until in a week. */
export async function readPartitions(
	client: Pick<ClientBase, "query">,
): Promise<{ readonly count: number; readonly hasNow: boolean; readonly hasNextWeek: boolean }> {
	const { rows } = await client.query<{ partitions: number; now: number; next: number }>(
		`select count(*)::int as partitions,
			count(*) filter (where bounds ~ 'FROM' and now_micros >= lower and now_micros < upper)::int as now,
			count(*) filter (where bounds ~ 'FROM' and next_micros >= lower and next_micros < upper)::int as next
		from (
			select pg_get_expr(c.relpartbound, c.oid) as bounds,
				nullif(substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('?(-?[0-9]+)$$), '')::bigint as lower,
				nullif(substring(pg_get_expr(c.relpartbound, c.oid) from $$TO \\('?(-?[0-9]+)$$), '')::bigint as upper,
				(extract(epoch from now()) * 1000000)::bigint as now_micros,
				(extract(epoch from now() + interval '7 days') * 1000000)::bigint as next_micros
			from pg_inherits join pg_class c on c.oid = inhrelid
			where inhparent = to_regclass('spans')
		) as listed`,
	);
	const row = present(rows[0], "the count of partitions");
	return { count: row.partitions, hasNow: row.now > 0, hasNextWeek: row.next > 0 };
}
