import { DatabaseSync } from "node:sqlite";

export const DATABASE_FILE = "spanward.db";
/** Follows the name of a file that `spanward copy` has not completed. */
export const COPYING = ".copying";
const PAGE_BYTES = 16_384;
const MEBIBYTE = 1_048_576;

/**
 * Opens the file for writing: WAL, durable commits, 16 KiB pages (twice the insert rate of 4 KiB).
 * @param cacheMebibytes size of the connection's page cache
 */
export function openForWriting(path: string, cacheMebibytes: number): DatabaseSync {
	const db = new DatabaseSync(path, { timeout: 10_000 });
	// page_size and auto_vacuum count only before the first table; journal_mode is kept in the file.
	db.exec(`
		pragma page_size = ${PAGE_BYTES};
		pragma auto_vacuum = incremental;
		pragma journal_mode = wal;
		pragma synchronous = full;
		pragma wal_autocheckpoint = ${(32 * MEBIBYTE) / PAGE_BYTES};
		pragma journal_size_limit = ${64 * MEBIBYTE};
		pragma cache_size = -${cacheMebibytes * 1_024};
		pragma temp_store = memory;
	`);
	return db;
}

/** Opens an existing file for reading only. */
export function openForReading(path: string, cacheMebibytes: number): DatabaseSync {
	const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
	db.exec(`pragma cache_size = -${cacheMebibytes * 1_024}; pragma temp_store = memory; pragma query_only = true;`);
	return db;
}
