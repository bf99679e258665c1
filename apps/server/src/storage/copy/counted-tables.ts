import type { ClientBase } from "pg";
import { present } from "#base/present.ts";

/** The tables that people know. */
export const COUNTED_TABLES = [
	"projects",
	"traces",
	"spans",
	"sessions",
	"annotations",
	"datasets",
	"experiments",
	"prompts",
	"users",
] as const;

/** Those of them that are empty where traces are in ClickHouse. */
export const TABLES_OF_TRACES: ReadonlySet<string> = new Set(["traces", "spans", "sessions"]);

/** Rows of these tables in PostgreSQL. */
export async function countPostgresRows(client: ClientBase): Promise<Record<string, number>> {
	const counts: [table: string, rows: number][] = [];
	for (const table of COUNTED_TABLES) {
		const { rows } = await client.query<{ count: number }>(`select count(*) as count from ${table}`);
		counts.push([table, present(rows[0], "a count of rows").count]);
	}
	return Object.fromEntries(counts);
}
