import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The metadata tables. A reader cannot write: its connection is read-only. */
export interface Database extends AsyncDisposable {
	readonly read: Kysely<Tables>;
	/** Runs `work` in one transaction that holds the write lock; commits when it resolves, rolls back when it throws. */
	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
}
