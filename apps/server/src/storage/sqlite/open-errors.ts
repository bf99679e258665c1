import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { MigrationError } from "./migrations.ts";

const UNWRITABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "EEXIST", "EISDIR", "ENOTDIR", "ENOENT"]);

const IO_ERROR = 10; // SQLITE_IOERR
/** Bytes for the index of a log, which every reader needs. */
const MIN_FREE_BYTES = 65_536;

/** What to do about a file or its folder, as the end of a sentence. */
export interface Remedies {
	readonly unwritable: string;
	readonly full: string;
	readonly damaged: string;
}

const OF_THE_SERVER: Remedies = {
	unwritable: "let this user write there, or set SERVICE_WORKING_DIR to another folder",
	full: "make room, or set SERVICE_WORKING_DIR to a folder on another disk",
	damaged: "put a backup in its place, or move it away to start without its data",
};

/**
 * Turns an error of opening or creating `file` into one with a sentence that says what to do; returns any other error
 * unchanged.
 * @param ways other remedies, where the file is not the database of a server
 */
export function toOpenError(error: unknown, file: string, ways = OF_THE_SERVER): unknown {
	if (!(error instanceof Error)) return error;
	if (error instanceof MigrationError && error.cause !== undefined) {
		const explained = toOpenError(error.cause, file, ways);
		return explained === error.cause ? error : explained;
	}
	const folder = dirname(file);
	const because = `(${error.message})`;
	const message = {
		unwritable: `the folder ${folder} cannot be written to ${because}: ${ways.unwritable}`,
		full: `the disk of ${folder} is full ${because}: ${ways.full}`,
		damaged: `${file} is damaged or no database ${because}: ${ways.damaged}`,
	};
	const kind = openFailure(error) ?? (isOutOfRoom(error, folder) ? "full" : undefined);
	return kind === undefined ? error : new Error(message[kind], { cause: error });
}

/** Readers need space for some pages, too; without it SQLite reports "disk I/O error". */
function isOutOfRoom(error: Error, folder: string): boolean {
	if (!("errcode" in error) || typeof error.errcode !== "number" || (error.errcode & 0xff) !== IO_ERROR) return false;
	const { bavail, bsize } = statfsSync(folder);
	return bavail * bsize < MIN_FREE_BYTES;
}

/** By the codes of the system, and of SQLite: https://www.sqlite.org/rescode.html */
export function openFailure(error: Error): "unwritable" | "full" | "damaged" | undefined {
	if ("errcode" in error && typeof error.errcode === "number") {
		switch (error.errcode & 0xff) {
			case 8: // SQLITE_READONLY
			case 14: // SQLITE_CANTOPEN
				return "unwritable";
			case 13: // SQLITE_FULL
				return "full";
			case 11: // SQLITE_CORRUPT
			case 26: // SQLITE_NOTADB
				return "damaged";
		}
		return undefined;
	}
	if (!("code" in error)) return undefined;
	if (error.code === "ENOSPC" || error.code === "EDQUOT") return "full";
	return UNWRITABLE.has(error.code) ? "unwritable" : undefined;
}
