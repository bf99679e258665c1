import { sql } from "kysely";
import { ConfigError } from "#base/config.ts";
import type { Access } from "#storage/schema.ts";
import type { Storage } from "#storage/storage.ts";
import { openPostgresMetadata } from "./postgres-metadata.ts";
import { openSqliteMetadata } from "./sqlite-metadata.ts";
import type { TraceMetadata } from "./trace-metadata.ts";

/**
 * Prepares the database for traces that are in ClickHouse.
 * @param pinnedAccess what a variable says of the access of new projects
 * @throws ConfigError when it has traces itself, before anything is changed
 */
export async function openTraceMetadata(storage: Storage, pinnedAccess?: Access): Promise<TraceMetadata> {
	const { db, writerOptions } = storage;
	if (writerOptions.kind === "clickhouse") throw new Error("a metadata database is SQLite or PostgreSQL");
	const { rows } = await sql`select 1 from spans limit 1`.execute(db.read);
	if (rows.length > 0)
		throw new ConfigError([
			`this installation has its traces in ${storage.kind === "sqlite" ? "SQLite" : "PostgreSQL"}: spanward copy --traces-to brings them to ClickHouse, into another database for the rest, and without SERVICE_CLICKHOUSE_URL they stay where they are`,
		]);
	return writerOptions.kind === "sqlite"
		? openSqliteMetadata({ db, ...writerOptions, pinnedAccess })
		: await openPostgresMetadata(db, writerOptions.settings, pinnedAccess);
}
