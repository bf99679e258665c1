import { sql, type Transaction } from "kysely";
import { storableText } from "#storage/postgres/storable-text.ts";
import type { Tables } from "#storage/schema.ts";
import {
	ALL_GONE,
	SPEND_COLUMNS,
	SPEND_KEY,
	SPEND_SUMS,
	type SpendChanges,
	spendValues,
} from "#storage/traces/totals/spend-changes.ts";
import { SPEND_BACKFILL } from "#storage/traces/totals/spend-state.ts";

/** Turns end one after the other, in short transactions. */
const SLOT = 0;
const COLUMNS = sql.raw(SPEND_COLUMNS.join(", "));
const KEY = sql.raw(SPEND_KEY.join(", "));
const SUMS = sql.raw(SPEND_SUMS.map((column) => `${column} = spend.${column} + excluded.${column}`).join(", "));

/** Adds to the rows of `spend` in the metadata database, on SQLite too with users as PostgreSQL can store them. */
export async function addSpend(transaction: Transaction<Tables>, changes: SpendChanges): Promise<void> {
	const stored = changes.storedAs(storableText);
	for (const change of stored.list())
		await sql`insert into spend (${COLUMNS}) values (${sql.join([...spendValues(change, SLOT, stored.isKept)])})
			on conflict (${KEY}) do update set ${SUMS}`.execute(transaction);
}

/** Has what stored spans have spent counted anew in the background, as after an upgrade. */
export async function countSpendAnew(transaction: Transaction<Tables>): Promise<void> {
	const value = "{}";
	await transaction
		.insertInto("state")
		.values({ name: SPEND_BACKFILL, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
}

/** Notes that all spans are gone: what they have spent was spent all the same. */
export async function keepAllSpent(transaction: Transaction<Tables>): Promise<void> {
	await sql`update spend set ${sql.raw(ALL_GONE)}
		where tokens <> 0 or cost_micro <> 0 or cost_pico <> 0`.execute(transaction);
}
