import type { Kysely } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { newGeneration, type TracesToMark } from "#storage/traces/error-backlog.ts";

/** Rows of one statement. */
const MOST_ROWS = 500;

/** Adds traces to `error_backlog`: to look at for failures. Nothing is written where none is to be added. */
export async function markTraces(
	db: Pick<Database, "read" | "write">,
	{ failing, changed }: TracesToMark,
): Promise<void> {
	const ids = [...new Set([...failing, ...(await withFailures(db.read, changed))])].toSorted((a, b) => a - b);
	if (ids.length > 0) await db.write((transaction) => insertMarks(transaction, ids));
}

/** @param ids row numbers of traces, ascending */
export async function insertMarks(db: Kysely<Tables>, ids: readonly number[]): Promise<void> {
	const now = Date.now() * 1_000;
	for (const part of chunksOf(ids, MOST_ROWS))
		await db
			.insertInto("error_backlog")
			.values(part.map((trace_row_id) => ({ trace_row_id, first_at: now, last_at: now, generation: newGeneration() })))
			.onConflict((conflict) =>
				conflict.column("trace_row_id").doUpdateSet((row) => ({
					last_at: row.ref("excluded.last_at"),
					generation: row.ref("excluded.generation"),
				})),
			)
			.execute();
}

/** Those of these traces that wait, or have occurrences. */
async function withFailures(db: Kysely<Tables>, ids: readonly number[]): Promise<readonly number[]> {
	if (ids.length === 0) return [];
	const rows = await db
		.selectFrom("error_backlog")
		.select("trace_row_id")
		.where("trace_row_id", "in", listed(ids))
		.union(db.selectFrom("error_occurrences").select("trace_row_id").where("trace_row_id", "in", listed(ids)))
		.execute();
	return rows.map(({ trace_row_id }) => trace_row_id);
}
