import type pg from "pg";
import { BATCH_TRACES } from "#storage/traces/mutate/batches.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { query } from "../read/query.ts";
import { findAnnotated } from "./delete-expired.ts";
import { deleteBatch } from "./delete-traces.ts";
import type { ExpiredPeriod } from "./expired-periods.ts";
import { lockTracesExclusively } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

/** With more of them, dropping the partitions saves little. */
const MOST_CROSSING = 1_000_000;

/**
 * The traces that start in a period and keep it from being dropped: they may reach out of it, or have content in blocks
 * that hold spans of other days too.
 * @returns row numbers; undefined when there are too many
 */
export async function findCrossing(
	pool: pg.Pool,
	{ from, to, projectIds, spans, restOfBlocks }: ExpiredPeriod,
): Promise<readonly number[] | undefined> {
	const reaching = await query<{ id: number }>(
		pool,
		`select id from traces
		where project_id = any(?::bigint[]) and start_micros >= ? and start_micros < ? and end_micros >= ? limit ?`,
		[projectIds, from, to, to, MOST_CROSSING + 1],
	);
	const inOtherBlocks = restOfBlocks === undefined ? [] : await findInBlocks(pool, spans, restOfBlocks);
	const found = new Set([...reaching, ...inOtherBlocks].map(({ id }) => id));
	return found.size > MOST_CROSSING ? undefined : [...found];
}

/** The traces of a partition of spans that have content in a partition of blocks. */
async function findInBlocks(pool: pg.Pool, spans: string, blocks: string): Promise<{ readonly id: number }[]> {
	return await query<{ id: number }>(
		pool,
		`select distinct trace_row_id as id from ${blocks} as blocks cross join lateral (
			select trace_row_id from ${spans} as spans
			where spans.id between blocks.first_span and blocks.last_span and spans.block_id = blocks.id offset 0
		) as member limit ?`,
		[MOST_CROSSING + 1],
	);
}

/**
 * Deletes the next of these traces, unless they have been annotated, moved or continued before the period meanwhile.
 * @returns what it deleted, and the traces that are left for the next call
 */
export async function deleteCrossing(
	transaction: MutationTransaction,
	{ from, to, projectIds, keepingAnnotated }: ExpiredPeriod,
	traceRowIds: readonly number[],
): Promise<{ readonly deleted: readonly TraceRow[]; readonly rest: readonly number[] }> {
	const batch = traceRowIds.slice(0, BATCH_TRACES);
	const locked = await lockTracesExclusively(transaction.client, batch);
	const keeping = new Set(keepingAnnotated);
	const mayKeep = locked.filter((row) => keeping.has(row.project_id));
	const annotated = await findAnnotated(transaction.client, mayKeep);
	const projects = new Set(projectIds);
	const isExpired = (row: TraceRow) =>
		projects.has(row.project_id) && row.start_micros >= from && row.start_micros < to && !annotated.has(row.id);
	const going = locked.filter(isExpired);
	const deleted = going.slice(0, await deleteBatch(transaction, going, "drop"));
	const left = going.slice(deleted.length).map(({ id }) => id);
	return { deleted, rest: [...left, ...traceRowIds.slice(batch.length)] };
}
