import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The metadata tables, for who only reads. On SQLite a reader cannot write: its connection is read-only. */
export interface ReadableDatabase {
	/** Other processes may use it at the same time. */
	readonly isShared: boolean;
	readonly read: Kysely<Tables>;
	/** Resolves when the database works, even while all its connections are in use. @throws StorageUnavailable */
	check(): Promise<void>;
}

/** Changes the metadata tables in one transaction; see `Database.write`. */
export type Write = <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>;

/** The metadata tables, for what works behind requests; requests change something as an `Actor`. */
export interface Database extends ReadableDatabase, AsyncDisposable {
	/**
	 * Runs `work` in one transaction, isolated from all others; commits when it resolves, rolls back when it throws. On
	 * PostgreSQL `work` runs again after a conflict with another process, so it must have no effect beyond the database.
	 */
	write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
}
