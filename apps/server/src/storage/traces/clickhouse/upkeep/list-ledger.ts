import type { Kysely } from "kysely";
import { storableText } from "#storage/postgres/storable-text.ts";
import type { Tables } from "#storage/schema.ts";
import type { SpendRow } from "#storage/traces/totals/spend-recount.ts";

/** Quarters of an hour, counted since 1970; the end is not included. */
export interface Quarters {
	readonly from: number;
	readonly to: number;
}

/** What the ledger says that stored spans of some quarters have spent; a copied one may have users as SQLite stores them. */
export async function listLedger(
	db: Kysely<Tables>,
	projectId: number,
	{ from, to }: Quarters,
): Promise<readonly SpendRow[]> {
	const rows = await db
		.selectFrom("spend")
		.select(["quarter", "user_id", "api_key_id", "tokens", "cost_micro", "cost_pico"])
		.where("project_id", "=", projectId)
		.where("quarter", ">=", from)
		.where("quarter", "<", to)
		.orderBy("quarter")
		.orderBy("user_hash")
		.orderBy("api_key_id")
		.orderBy("slot")
		.execute();
	return rows.map((row) => ({ ...row, user_id: row.user_id === null ? null : storableText(row.user_id) }));
}
