import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const LOCK_FILE = "spanward.lock";

/**
 * Makes this process the only server on `folder` until the result is disposed of or the process dies in any way: an
 * open transaction on `spanward.lock` holds a lock that the operating system then releases.
 * @throws Error naming the folder and the process that holds the lock
 */
export function lockFolder(folder: string): Disposable {
	const pidFile = join(folder, "spanward.pid");
	const db = new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 });
	try {
		db.exec("begin exclusive");
	} catch (cause) {
		db.close();
		if (!isBusy(cause)) throw cause;
		throw new Error(
			`another Spanward${readPid(pidFile)} uses the folder ${folder}: stop it, or set SERVICE_WORKING_DIR to another folder`,
			{ cause },
		);
	}
	writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
	return {
		[Symbol.dispose]() {
			rmSync(pidFile, { force: true });
			db.close();
		},
	};
}

/** Whether a process holds the lock of `folder`, which must have been locked before. */
export function isLocked(folder: string): boolean {
	const db = new DatabaseSync(join(folder, LOCK_FILE), { readOnly: true, timeout: 0 });
	try {
		db.exec("select 1 from sqlite_schema");
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		db.close();
	}
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && "errcode" in error && error.errcode === 5;
}

function readPid(pidFile: string): string {
	try {
		return ` (process ${readFileSync(pidFile, "utf8").trim()})`;
	} catch (error) {
		// The holder may not have written its id yet.
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
		throw error;
	}
}
