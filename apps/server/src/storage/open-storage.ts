import { rm } from "node:fs/promises";
import type { Config } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import { isTemporaryFolder } from "#base/temporary-folder.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import type { Storage } from "./storage.ts";
import { expectTracesHere } from "./traces/clickhouse/metadata/expect-traces.ts";
import { SentIds } from "./traces/sent-ids/sent-ids.ts";
import { withSentIds } from "./traces/sent-ids/with-sent-ids.ts";

/** The storage for everything outside this folder: ids of traces and spans are texts, as they were sent. */
export interface OpenStorage extends Storage {
	readonly sentIds: SentIds;
}

/**
 * Opens the database, and ClickHouse where traces are kept there, creates what is missing and brings the schema up to
 * date.
 * @param postgres absent where SQLite keeps everything in the working folder
 * @param tell gets a sentence about what was done to the database
 * @param waitMs how long to wait for a PostgreSQL or ClickHouse that cannot be reached yet
 * @throws Error with a sentence that says what to do
 */
export async function openStorage(
	config: Config,
	postgres: PostgresSettings | undefined,
	tell: (sentence: string) => void = () => undefined,
	waitMs = 0,
): Promise<OpenStorage> {
	const storage = await open(config, postgres, tell, waitMs);
	const sentIds = new SentIds(storage.db);
	return { ...storage, traces: withSentIds(storage.traces, sentIds), sentIds };
}

async function open(
	config: Config,
	postgres: PostgresSettings | undefined,
	tell: (sentence: string) => void,
	waitMs: number,
): Promise<Storage> {
	const clickhouse = clickHouseSettings(config);
	const storage = await openMetadata(config, postgres, tell, waitMs);
	try {
		if (clickhouse === undefined) {
			await expectTracesHere(storage);
			return storage;
		}
		// Loaded only where it is used, to save memory.
		const { openTraces } = await import("./traces/clickhouse/open-traces.ts");
		return await openTraces({
			...{ storage, settings: clickhouse, tell, waitMs },
			textIndex: config.SERVICE_ENABLE_TEXT_INDEX,
			pinnedAccess: config.SERVICE_DEFAULT_PROJECT_ACCESS ?? undefined,
		});
	} catch (error) {
		await storage[Symbol.asyncDispose]();
		throw error;
	}
}

/** The database with everything, traces too where they are not in ClickHouse. As `openStorage`. */
export async function openMetadata(
	config: Config,
	postgres: PostgresSettings | undefined,
	tell: (sentence: string) => void,
	waitMs = 0,
): Promise<Storage> {
	if (postgres !== undefined) {
		// Loaded only where it is used, to save memory.
		const { openPostgres } = await import("./postgres/open-postgres.ts");
		return openPostgres(config, postgres, tell, waitMs);
	}
	return isTemporaryFolder(config.SERVICE_WORKING_DIR) ? openTemporary(config, tell) : openSqlite(config, tell);
}

async function openTemporary(config: Config, tell: (sentence: string) => void): Promise<Storage> {
	const storage = await openSqlite(config, tell);
	return {
		...storage,
		async [Symbol.asyncDispose]() {
			await storage[Symbol.asyncDispose]();
			await rm(config.SERVICE_WORKING_DIR, { recursive: true, force: true });
		},
	};
}
