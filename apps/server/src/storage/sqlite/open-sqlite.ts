import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Config } from "#base/config.ts";
import { present } from "#base/present.ts";
import { Semaphore } from "#base/semaphore.ts";
import { OnlyProcess } from "../cluster.ts";
import type { Database } from "../database.ts";
import type { Storage } from "../storage.ts";
import { RecountedSpend } from "../traces/mutate/recounted-spend.ts";
import { RecountingRepairs } from "../traces/mutate/recounting-repairs.ts";
import { findLeftOver, type LeftOver } from "../traces/sqlite/left-over.ts";
import { SqliteRecounts } from "../traces/sqlite/recounts.ts";
import { noteTextIndex } from "../traces/sqlite/text/unsigned-blocks.ts";
import { SqliteTraceStore } from "../traces/sqlite/trace-store.ts";
import type { SqliteWriterOptions } from "../traces/sqlite/trace-writer.ts";
import { COPYING, DATABASE_FILE, openForWriting } from "./connection.ts";
import { SqliteDatabase } from "./database.ts";
import { DatabaseWorkers } from "./database-workers.ts";
import { markInUse, settleFile } from "./in-use-mark.ts";
import { migrate } from "./migrations.ts";
import { toOpenError } from "./open-errors.ts";
import { LOCK_FILE, lockFolder } from "./process-lock.ts";
import { SqlitePlace } from "./sqlite-place.ts";
import { copyBeforeUpgrade } from "./upgrade-copy.ts";
import { createWriteLockMemory, releaseLockOfEndedThread } from "./write-lock.ts";

type SqliteSettings = Pick<
	Config,
	"SERVICE_WORKING_DIR" | "SERVICE_DATABASE_READERS" | "SERVICE_ENABLE_TEXT_INDEX" | "SERVICE_PROJECT_NAME"
>;

export interface SqliteStorage extends Storage {
	readonly kind: "sqlite";
	readonly traces: SqliteTraceStore;
	readonly writerOptions: SqliteWriterOptions;
}

/**
 * Opens the database in the working folder, creates what is missing (folder 0700, file 0600), copies the file before an
 * upgrade, brings the schema up to date, and creates the project of spans that name none.
 * @param tell gets a sentence about an upgrade
 * @throws Error with a sentence, when another process uses the folder, a newer version wrote the file, the folder
 * cannot be written to or the file is damaged
 */
export async function openSqlite(
	settings: SqliteSettings,
	tell: (sentence: string) => void = () => undefined,
): Promise<SqliteStorage> {
	const folder = settings.SERVICE_WORKING_DIR;
	await using opened = new AsyncDisposableStack();
	opened.use(
		explained(join(folder, LOCK_FILE), () => {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			return lockFolder(folder);
		}),
	);
	const path = join(folder, DATABASE_FILE);
	const left = explained(path, () => prepareFile(path, settings, tell));
	opened.defer(() => settleFile(path, tell));
	const mutex = createWriteLockMemory();
	const workers = opened.use(
		new DatabaseWorkers({
			path,
			mutex,
			readers: settings.SERVICE_DATABASE_READERS,
			textIndex: settings.SERVICE_ENABLE_TEXT_INDEX,
		}),
	);
	const writes = new Semaphore(1);
	const db = opened.use(new SqliteDatabase(workers, writes));
	const traces = opened.use(new SqliteTraceStore(db, workers, writes));
	if (left.halfDeleted) await traces.purge();
	if (left.unindexed && settings.SERVICE_ENABLE_TEXT_INDEX) await traces.fillIndexes();
	const recounts = new SqliteRecounts(db, workers, writes);
	const open = opened.move();
	return {
		kind: "sqlite",
		db,
		traces,
		place: new SqlitePlace(db, folder),
		repairs: new RecountingRepairs(db, recounts),
		spend: new RecountedSpend(db, recounts),
		writerOptions: { kind: "sqlite", path, mutex, textIndex: settings.SERVICE_ENABLE_TEXT_INDEX },
		cluster: new OnlyProcess(),
		usedBytes: () => readUsedBytes(db),
		server: undefined,
		upkeep: [],
		onReachable: () => () => undefined,
		releaseWriter: (threadId) => releaseLockOfEndedThread(mutex, threadId),
		notify: (change) => traces.notifyChange(change),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

async function readUsedBytes({ read }: Database): Promise<number> {
	const { rows } = await sql<{ bytes: number }>`
		select (page_count - freelist_count) * page_size as bytes
		from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(read);
	return present(rows[0], "the size of the database").bytes;
}

function explained<T>(file: string, open: () => T): T {
	try {
		return open();
	} catch (error) {
		throw toOpenError(error, file);
	}
}

function prepareFile(path: string, settings: SqliteSettings, tell: (sentence: string) => void): LeftOver {
	if (!existsSync(path) && existsSync(path + COPYING))
		throw new Error(
			`${path}${COPYING} is an unfinished copy: run the same spanward copy again, which completes it (with --since after a round with --servers-running), or delete that file`,
		);
	// SQLite creates the log with the mode of the file.
	closeSync(openSync(path, "a", 0o600));
	const db = openForWriting(path, 2);
	try {
		migrate(db, (version) => tell(copyBeforeUpgrade(db, path, version)));
		const now = Date.now() * 1_000;
		db.prepare("insert into projects (name, created_at, updated_at) values (?, ?, ?) on conflict do nothing").run(
			settings.SERVICE_PROJECT_NAME,
			now,
			now,
		);
		noteTextIndex(db, settings.SERVICE_ENABLE_TEXT_INDEX);
		markInUse(db);
		return findLeftOver(db);
	} finally {
		db.close();
	}
}
