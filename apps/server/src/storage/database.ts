import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The metadata tables. On SQLite a reader cannot write: its connection is read-only. */
export interface Database extends AsyncDisposable {
	/** Other processes may use it at the same time. */
	readonly isShared: boolean;
	readonly read: Kysely<Tables>;
	/**
	 * Runs `work` in one transaction, as if no other were running; commits when it resolves, rolls back when it throws. On
	 * PostgreSQL it is run again when it met a transaction of another process: it changes nothing but the database.
	 */
	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
	/** Resolves when the database works, also while all connections to it are in use. @throws StorageUnavailable */
	check(): Promise<void>;
}
