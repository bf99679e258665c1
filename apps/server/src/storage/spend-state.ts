import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";
import { SELECT_SPEND_STATE, type SpendState, spendStateOf } from "./traces/totals/spend-state.ts";

/** What the ledger has of the stored spans. */
export async function readSpendState(db: Kysely<Tables>): Promise<SpendState> {
	const { rows } = await sql<{ name: string; value: string }>`${sql.raw(SELECT_SPEND_STATE)}`.execute(db);
	return spendStateOf(rows);
}
