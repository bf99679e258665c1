import { type Kysely, sql } from "kysely";
import { present } from "#base/present.ts";
import { either } from "#storage/either.ts";
import type { Tables } from "#storage/schema.ts";

/**
 * SQL for microseconds since 1970 by the clock of the database, which all servers share; the server's own may be wrong.
 */
export const DATABASE_MICROS = either<number>({
	sqlite: sql<number>`cast(unixepoch('subsec') * 1000000 as integer)`,
	postgres: sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`,
});

/** The time of {@link DATABASE_MICROS}. */
export async function databaseMicros(db: Kysely<Tables>): Promise<number> {
	const { rows } = await sql<{ micros: number }>`select ${DATABASE_MICROS} as micros`.execute(db);
	return Number(present(rows[0], "the time of the database").micros);
}
