import { sql, type Transaction } from "kysely";
import { NOTE_RIGHTS_CHANGE } from "#storage/projects/rights-version.ts";
import type { Tables } from "#storage/schema.ts";

/**
 * Says in the transaction of a change that rights changed, so that other processes read them again within a second.
 * Changes of one another at the same time wait for each other here.
 */
export async function noteRightsChange(transaction: Transaction<Tables>): Promise<void> {
	await sql.raw(NOTE_RIGHTS_CHANGE).execute(transaction);
}
