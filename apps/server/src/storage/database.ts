import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The metadata tables. On SQLite a reader cannot write: its connection is read-only. */
export interface Database extends AsyncDisposable {
	/** Other processes may use it at the same time. */
	readonly isShared: boolean;
	readonly read: Kysely<Tables>;
	/**
	 * Runs `work` in one transaction, isolated from all others; commits when it resolves, rolls back when it throws. On
	 * PostgreSQL `work` runs again after a conflict with another process, so it must have no effect beyond the database.
	 */
	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
	/** Resolves when the database works, even while all its connections are in use. @throws StorageUnavailable */
	check(): Promise<void>;
}
