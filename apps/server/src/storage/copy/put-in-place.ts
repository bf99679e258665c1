import { closeSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { markSettled } from "../sqlite/in-use-mark.ts";

/** What SQLite keeps beside a database; a log left beside another file would be taken for that one's. */
const BESIDE = ["-wal", "-shm", "-journal"];

/**
 * Makes `file` the database at `path`, on the same disk. What is there is renamed to `<path>.replaced-<time>`, whole. To be
 * called with the folder locked.
 * @returns where the former database is now; undefined when there was none
 */
export function putInPlace(file: string, path: string, now = new Date()): string | undefined {
	const aside = `${path}.replaced-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
	const existed = existsSync(path);
	if (existed) {
		if (existsSync(aside)) throw new Error(`${aside} exists already: try again in a second`);
		emptyLog(path);
	}
	for (const ending of BESIDE) if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
	if (existed) renameSync(path, aside);
	renameSync(file, path);
	syncToDisk(dirname(path));
	return existed ? aside : undefined;
}

/** Moves what is only in the log into the file. A damaged file is kept as it is, with its log. */
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

/** Waits until a file, or the names in a folder, are on the disk. */
export function syncToDisk(path: string): void {
	// Windows has no such thing for folders.
	if (process.platform === "win32") return;
	const file = openSync(path, "r");
	try {
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}
