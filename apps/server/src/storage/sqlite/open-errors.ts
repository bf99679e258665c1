import { dirname } from "node:path";
import { MigrationError } from "./migrations.ts";

const UNWRITABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "EEXIST", "EISDIR", "ENOTDIR", "ENOENT"]);

/** An error of opening or creating `file`, as a sentence that says what to do; any other error as it is. */
export function toOpenError(error: unknown, file: string): unknown {
	if (!(error instanceof Error)) return error;
	if (error instanceof MigrationError && error.cause !== undefined) {
		const explained = toOpenError(error.cause, file);
		return explained === error.cause ? error : explained;
	}
	const folder = dirname(file);
	const because = `(${error.message})`;
	const message = {
		unwritable: `the folder ${folder} cannot be written to ${because}: let this user write there, or set SERVICE_WORKING_DIR to another folder`,
		full: `the disk of ${folder} is full ${because}: make room, or set SERVICE_WORKING_DIR to a folder on another disk`,
		damaged: `${file} is damaged or no database ${because}: put a backup in its place, or move it away to start without its data`,
	};
	const kind = kindOf(error);
	return kind === undefined ? error : new Error(message[kind], { cause: error });
}

/** By the codes of the system, and of SQLite: https://www.sqlite.org/rescode.html */
function kindOf(error: Error): "unwritable" | "full" | "damaged" | undefined {
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
