import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { openForReading } from "../sqlite/connection.ts";
import { markSettled } from "../sqlite/in-use-mark.ts";
import { getRow, hasRow, listRows } from "../sqlite/rows.ts";
import { hasTracesInClickHouse } from "../traces/clickhouse/metadata/sqlite-schema.ts";
import { COUNTED_TABLES, TABLES_OF_TRACES } from "./counted-tables.ts";
import { syncToDisk } from "./put-in-place.ts";

/** Pages copied per step: 4 MiB, about 5 ms. */
const STEP_PAGES = 256;
const CACHE_MEBIBYTES = 8;
/** Error codes of `link` on file systems without hard links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export interface BackupReport {
	readonly file: string;
	readonly bytes: number;
	readonly schemaVersion: number;
	/** Rows by table, for the tables that people know. */
	readonly rows: Readonly<Record<string, number>>;
	/** Present where traces are not in the file. */
	readonly tracesIn?: "clickhouse";
}

/**
 * Copies the database at `path` to the new file `target` while servers go on writing. Everything is read in one
 * transaction, so the copy shows one moment. SQLite checks it; it gets its name only when it is complete, and only its
 * owner may read it.
 * @param onProgress gets the share that is copied, 0 to 1
 * @throws Error with a sentence, when `target` exists, there is no room, or the copy is damaged
 */
export async function backUp(
	path: string,
	target: string,
	onProgress: (share: number) => void = () => undefined,
): Promise<BackupReport> {
	if (existsSync(target)) throw alreadyThere(target);
	checkRoom(path, dirname(target));
	const unfinished = `${target}.unfinished`;
	// In a folder that others can write to, this name may be a link, or a file that somebody else has open.
	rmSync(unfinished, { force: true });
	closeSync(openSync(unfinished, "wx", 0o600));
	try {
		await copyPages(path, unfinished, onProgress);
		const report = checkCopy(unfinished);
		syncToDisk(unfinished);
		giveName(unfinished, target);
		syncToDisk(dirname(target));
		return { file: target, bytes: statSync(target).size, ...report };
	} finally {
		for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(unfinished + ending, { force: true });
	}
}

function checkRoom(path: string, folder: string): void {
	const { bavail, bsize } = statfsSync(folder);
	const needed = [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
	if (bavail * bsize >= needed) return;
	const mebibytes = (bytes: number) => Math.ceil(bytes / 1_048_576);
	throw new Error(
		`the disk of ${folder} has ${mebibytes(bavail * bsize)} MiB left and the backup may need ${mebibytes(needed)} MiB: ` +
			"make room, or write it to another disk",
	);
}

async function copyPages(path: string, target: string, onProgress: (share: number) => void): Promise<void> {
	const db = openForReading(path, CACHE_MEBIBYTES);
	try {
		// Without a transaction, SQLite would restart the copy after each commit of another process.
		db.exec("begin; select 1 from sqlite_schema limit 1");
		await backup(db, target, {
			rate: STEP_PAGES,
			progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
		});
		onProgress(1);
	} finally {
		db.close();
	}
}

/** Makes the copy a single file that can also be read in a read-only folder, and has SQLite check it. */
function checkCopy(path: string): Omit<BackupReport, "file" | "bytes"> {
	const db = new DatabaseSync(path);
	try {
		db.exec(`pragma journal_mode = delete; pragma cache_size = -${CACHE_MEBIBYTES * 1_024}`);
		markSettled(db);
		const { integrity_check: wrong } = getRow<{ integrity_check: string }>(db.prepare("pragma integrity_check(1)"));
		if (wrong !== "ok") throw new Error(`the copy is damaged, and the database may be: ${wrong}`);
		if (hasRow(db.prepare("select 1 from pragma_foreign_key_check limit 1")))
			throw new Error("rows of the database refer to rows that are not there: see spanward verify");
		return { schemaVersion: schemaVersionOf(db), rows: countRows(db), ...whereTracesAre(db) };
	} finally {
		db.close();
	}
}

/** Of a file with everything, nothing. */
export function whereTracesAre(db: DatabaseSync): Pick<BackupReport, "tracesIn"> {
	return hasTracesInClickHouse(db) ? { tracesIn: "clickhouse" } : {};
}

/** Rows of the tables that people know, where the schema has them, and without those that are elsewhere. */
export function countRows(db: DatabaseSync): Record<string, number> {
	const there = listRows<{ name: string }>(db.prepare("select name from sqlite_schema where type = 'table'"));
	const elsewhere = hasTracesInClickHouse(db) ? TABLES_OF_TRACES : new Set();
	const names = new Set(there.map(({ name }) => name).filter((name) => !elsewhere.has(name)));
	const count = (table: string) =>
		getRow<{ count: number }>(db.prepare(`select count(*) as count from ${table}`)).count;
	return Object.fromEntries(COUNTED_TABLES.filter((table) => names.has(table)).map((table) => [table, count(table)]));
}

/** @throws Error when the file is not a database of Spanward */
export function schemaVersionOf(db: DatabaseSync): number {
	const isThere = hasRow(db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'schema_version'"));
	// The file may come from anywhere.
	const { version } = isThere
		? getRow<{ version: unknown }>(db.prepare("select max(version) as version from schema_version"))
		: { version: undefined };
	if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1)
		throw new Error("it is not a Spanward database");
	return version;
}

/** Never overwrites a file that somebody has created meanwhile. */
function giveName(unfinished: string, target: string): void {
	try {
		linkSync(unfinished, target);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		if (code === "EEXIST" || existsSync(target)) throw alreadyThere(target);
		if (!NO_LINKS.has(code)) throw error;
		renameSync(unfinished, target);
	}
}

function alreadyThere(target: string): Error {
	return new Error(`${target} exists already, and a backup overwrites nothing: name another file`);
}
