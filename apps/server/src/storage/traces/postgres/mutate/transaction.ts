import type pg from "pg";
import type { ClientBase } from "pg";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { toStorageError } from "#storage/postgres/storage-errors.ts";
import type { PostgresReferences } from "#storage/references/postgres-references.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import type { HourRows } from "../write/hour-rows.ts";
import { changeTotals, WriteTransaction } from "../write/write-transaction.ts";
import { deleteOrphanedLogs } from "./log-records.ts";
import { deleteSpentHours } from "./spent-hours.ts";

/** One try of a transaction that changes stored data. */
export class MutationTransaction extends WriteTransaction {
	/** Notified of changes to rows that others refer to. */
	readonly references: PostgresReferences;

	constructor(client: ClientBase, references: PostgresReferences) {
		super(client, readStoredTexts);
		this.references = references;
	}
}

/**
 * Runs `work` in a transaction on a connection of the pool, with all totals that it changed, and all of it again after
 * a conflict: it must have no effect beyond the database.
 * @throws StorageUnavailable; nothing was changed then
 */
export async function mutate<T>(
	pool: pg.Pool,
	hours: HourRows,
	references: PostgresReferences,
	work: (transaction: MutationTransaction) => Promise<T>,
): Promise<T> {
	try {
		const { result } = await withConnection(
			pool,
			(client) =>
				changeTotals(
					client,
					() => new MutationTransaction(client, references),
					async (transaction) => ({
						result: await work(transaction),
						changed: transaction.hours.list(),
						deletedTraces: transaction.deletedTraces,
					}),
					hours,
				),
			// Rows that are left over do no harm.
			async (client, { changed, deletedTraces }) => {
				await deleteSpentHours(client, changed);
				await deleteOrphanedLogs(client, deletedTraces);
			},
		);
		return result;
	} catch (error) {
		throw toStorageError(error);
	}
}
