import { closeSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { markSettled } from "../sqlite/in-use-mark.ts";

/** Files that SQLite keeps beside a database. A log that is left behind would be applied to the new file. */
const BESIDE = ["-wal", "-shm", "-journal"];

/**
 * Makes `file`, which is on the same disk, the database at `path`. An existing one is renamed to
 * `<path>.replaced-<time>`, or `<path>.replaced-<time>-2` when that one exists, with its log applied. The caller has
 * locked the folder.
 * @returns the new path of the former database; undefined when there was none
 */
export function putInPlace(file: string, path: string, now = new Date()): string | undefined {
	const aside = freePath(`${path}.replaced-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`);
	const existed = existsSync(path);
	if (existed) emptyLog(path);
	for (const ending of BESIDE) if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
	if (existed) renameSync(path, aside);
	renameSync(file, path);
	syncToDisk(dirname(path));
	return existed ? aside : undefined;
}

/** The path itself, or the first of `<path>-2`, `<path>-3` and so on that nothing is at. */
function freePath(path: string): string {
	let free = path;
	for (let number = 2; existsSync(free); number++) free = `${path}-${number}`;
	return free;
}

/** Moves what is only in the log into the file. A damaged file is left unchanged, with its log. */
function emptyLog(path: string): void {
	try {
		const db = new DatabaseSync(path, { timeout: 0 });
		try {
			markSettled(db);
			db.exec("pragma wal_checkpoint(truncate)");
		} finally {
			db.close();
		}
	} catch (error) {
		if (!(error instanceof Error && "errcode" in error)) throw error;
	}
}

/** Waits until a file, or the entries of a folder, are on the disk (`fsync`). */
export function syncToDisk(path: string): void {
	// Windows cannot sync folders.
	if (process.platform === "win32") return;
	const file = openSync(path, "r");
	try {
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}
