import type { Config } from "../config.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import type { PostgresSettings } from "./postgres/postgres-settings.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import type { Storage } from "./storage.ts";

/**
 * Opens the database, creating what is missing and bringing the schema up to date.
 * @param postgres absent where SQLite keeps everything in the working folder
 * @param tell gets a sentence about what was done to the database
 * @param waitMs how long a PostgreSQL that is not there yet is waited for
 * @throws Error with a sentence that says what to do
 */
export function openStorage(
	config: Config,
	postgres: PostgresSettings | undefined,
	tell: (sentence: string) => void = () => undefined,
	waitMs = 0,
): Promise<Storage> {
	return postgres === undefined ? openSqlite(config, tell) : openPostgres(config, postgres, tell, waitMs);
}
