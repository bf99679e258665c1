import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import { createTestDatabase } from "#storage/clickhouse/test-clickhouse.ts";
import type { Database } from "#storage/database.ts";
import { openStorage } from "#storage/open-storage.ts";
import { createMigratedSchema } from "#storage/postgres/test-migrated.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";
import { migratedFile } from "#storage/sqlite/test-migrated.ts";

/**
 * Where a test's server keeps everything: a folder of its own, on PostgreSQL a schema of its own, and with ClickHouse a
 * database of its own.
 */
export interface TestPlace extends AsyncDisposable {
	/** For `readConfig`. */
	readonly settings: Readonly<Record<string, string>>;
}

/** The same tests are run again on PostgreSQL, and with traces in ClickHouse; vitest.config.ts lists them. */
// biome-ignore lint/style/noProcessEnv: the tests' own variable
const STORAGE = process.env["TEST_STORAGE"];
const ON_POSTGRES = STORAGE === "postgres";
/** For what each answer of ClickHouse, several statements, would show again. */
export const WITH_CLICKHOUSE = STORAGE === "clickhouse";

export async function createTestPlace(): Promise<TestPlace> {
	await using made = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-"));
	made.defer(() => rm(folder, { recursive: true, force: true }));
	const schema = ON_POSTGRES ? made.use(await createMigratedSchema()) : undefined;
	const database = WITH_CLICKHOUSE ? made.use(await createTestDatabase()) : undefined;
	if (schema === undefined) await writeFile(join(folder, DATABASE_FILE), migratedFile(), { mode: 0o600 });
	const ready = made.move();
	return {
		settings: {
			SERVICE_WORKING_DIR: folder,
			...(schema === undefined
				? {}
				: { SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema }),
			...database?.settings,
		},
		[Symbol.asyncDispose]: () => ready.disposeAsync(),
	};
}

/** A new database, without a server. */
export interface TestStorage extends AsyncDisposable {
	readonly db: Database;
	/** The database as another process has it; a SQLite file has one process only. */
	dbOfAnother(): Database;
}

export async function openTestStorage(): Promise<TestStorage> {
	await using opened = new AsyncDisposableStack();
	const { settings } = opened.use(await createTestPlace());
	const config = readConfig({ SERVICE_DATABASE_READERS: "1", ...settings });
	const open = async () => opened.use(await openStorage(config, postgresSettings(config)));
	const storages = [await open(), ...(ON_POSTGRES ? [await open()] : [])];
	const [first] = storages;
	if (first === undefined) throw new Error("there is no storage");
	let asked = 0;
	const ready = opened.move();
	return {
		db: first.db,
		dbOfAnother() {
			asked += 1;
			return (storages[asked % storages.length] ?? first).db;
		},
		[Symbol.asyncDispose]: () => ready.disposeAsync(),
	};
}
