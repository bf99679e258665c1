import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { openSqlite, type SqliteStorage } from "#storage/sqlite/open-sqlite.ts";
import { migratedFile } from "#storage/sqlite/test-migrated.ts";
import type { StoreUnderTest } from "../conformance/store-under-test.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { openSqliteTraceWriter } from "./trace-writer.ts";

export interface SqliteUnderTest extends StoreUnderTest {
	readonly storage: SqliteStorage;
	readonly folder: string;
}

export interface TestStoreSettings {
	readonly textIndex?: boolean;
	/** A folder that the caller deletes; otherwise the store has one of its own. */
	readonly folder?: string;
}

/** A SQLite file with real database threads; the writer runs on the test's own thread. */
export async function openTestStore(settings: TestStoreSettings = {}): Promise<SqliteUnderTest> {
	const folder = settings.folder ?? (await createFolder());
	const storage = await openSqlite({
		SERVICE_WORKING_DIR: folder,
		SERVICE_DATABASE_READERS: 1,
		SERVICE_ENABLE_TEXT_INDEX: settings.textIndex ?? true,
		SERVICE_PROJECT_NAME: "default",
	});
	const writer = openSqliteTraceWriter(storage.writerOptions, readStoredTexts);
	return {
		storage,
		folder,
		traces: storage.traces,
		db: storage.db,
		spend: storage.spend,
		writer,
		async [Symbol.asyncDispose]() {
			await writer[Symbol.asyncDispose]();
			await storage[Symbol.asyncDispose]();
			if (settings.folder === undefined) await rm(folder, { recursive: true, force: true });
		},
	};
}

async function createFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-storage-"));
	await writeFile(join(folder, DATABASE_FILE), migratedFile(), { mode: 0o600 });
	return folder;
}
