import { sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

/**
 * Ledger transactions of all servers take turns. It has to be the first statement: the snapshot of a transaction is that
 * of the statement after a `lock table`, so that what the one before wrote is seen, and nothing conflicts.
 */
export async function takeTurn(
	transaction: Transaction<Tables>,
	{ isShared }: { readonly isShared: boolean },
): Promise<void> {
	if (isShared) await sql`lock table model_connections in share row exclusive mode`.execute(transaction);
}
