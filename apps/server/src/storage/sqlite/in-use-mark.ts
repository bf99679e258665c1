import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openForWriting } from "./connection.ts";
import { isLocked, LOCK_FILE } from "./process-lock.ts";
import { getRow } from "./rows.ts";

/** https://www.sqlite.org/fileformat2.html#the_database_header */
const HEADER_BYTES = 100;
const READ_VERSION = 19;
const WAL = 2;
const USER_VERSION = 60;
/** How long a stop waits for readers, which keep the log from being emptied. */
const CHECKPOINT_MS = 1_000;

/**
 * Marks in the file itself that a server uses it, so that a copy without the log can be recognized: `user_version` is
 * the time of opening in seconds since 1970, and 0 once the file is complete without its log.
 */
export function markInUse(db: DatabaseSync, now = new Date()): void {
	db.exec(`pragma user_version = ${Math.floor(now.getTime() / 1_000)}; pragma wal_checkpoint(truncate)`);
}

/**
 * Moves what is only in the log into the file and removes the mark. This process must have no other connection.
 * @param tell gets a sentence when the log stays, which does no harm: the next server reads it
 * @throws Error when the file cannot be opened
 */
export function settleFile(path: string, tell: (sentence: string) => void): void {
	const db = openForWriting(path, 2);
	try {
		db.exec(`pragma busy_timeout = ${CHECKPOINT_MS}`);
		const why = emptyLog(db);
		if (why !== undefined)
			tell(`what was written last is still in ${path}-wal, ${why}: a copy of the database needs that file too`);
	} finally {
		db.close();
	}
}

/** @returns why the log stays; undefined when it was emptied */
function emptyLog(db: DatabaseSync): string | undefined {
	try {
		markSettled(db);
		const { busy } = getRow<{ busy: 0 | 1 }>(db.prepare("pragma wal_checkpoint(truncate)"));
		return busy === 0 ? undefined : "since another process reads the database";
	} catch (error) {
		// For example a full disk.
		if (error instanceof Error && "errcode" in error) return `since it cannot be emptied (${error.message})`;
		throw error;
	}
}

/** Removes the mark of `markInUse`. */
export function markSettled(db: DatabaseSync): void {
	db.exec("pragma user_version = 0");
}

/**
 * Checks whether a database file was copied without its log. Reads the bytes of the file, since opening it would create
 * a log.
 * @returns a sentence when it was in use and its log is missing
 */
export function findMissingLog(path: string): string | undefined {
	const header = readHeader(path);
	if (header.byteLength < HEADER_BYTES || header[READ_VERSION] !== WAL) return undefined;
	const since = header.readInt32BE(USER_VERSION);
	if (since <= 0) return undefined;
	const log = `${path}-wal`;
	// Readers create an empty log when there is none, and the log of a server that has just started is empty, too.
	if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
	if (existsSync(join(dirname(path), LOCK_FILE)) && isLocked(dirname(path))) return undefined;
	return (
		`its log is missing: a server used this database since ${new Date(since * 1_000).toISOString()} and had not stopped ` +
		`when the file was copied, and what it wrote last is in the file ${log}, which is not there`
	);
}

function readHeader(path: string): Buffer {
	const file = openSync(path, "r");
	try {
		const header = Buffer.alloc(HEADER_BYTES);
		return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
	} finally {
		closeSync(file);
	}
}
