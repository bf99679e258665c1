import type { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Database } from "#storage/database.ts";
import { openPool } from "#storage/postgres/connection.ts";
import { PostgresDatabase } from "#storage/postgres/database.ts";
import { kyselyOn, type StatementRunner } from "#storage/sqlite/kysely-driver.ts";
import { runQuery } from "#storage/sqlite/query.ts";

const CONNECTIONS = 2;

/** A database that only reads, as a server may be using it, too. */
export function readOnly(runner: StatementRunner & { readonly close?: () => void }): Database {
	const read = kyselyOn(runner);
	return {
		isShared: false,
		read,
		write: cannotWrite,
		async check() {
			await sql`select 1`.execute(read);
		},
		async [Symbol.asyncDispose]() {
			runner.close?.();
		},
	};
}

/** As {@link readOnly}; disposing closes the file. */
export function readOnlyFile(db: DatabaseSync): Database {
	return readOnly({ run: async (sql, parameters) => runQuery(db, sql, parameters), close: () => db.close() });
}

/** As {@link readOnly}. @param use what its connections are called in `pg_stat_activity`, and the limit of a statement */
export function readOnlyPostgres(
	settings: PostgresSettings,
	use: { readonly name: string; readonly statementTimeoutMs: number },
): Database {
	// The next statement says what is wrong with the database.
	const pool = openPool(settings, settings.primary, { ...use, size: CONNECTIONS }, () => undefined);
	const database = new PostgresDatabase(pool);
	return {
		isShared: true,
		read: database.read,
		write: cannotWrite,
		check: () => database.check(),
		[Symbol.asyncDispose]: () => pool.end(),
	};
}

async function cannotWrite(): Promise<never> {
	throw new Error("this command does not write");
}
