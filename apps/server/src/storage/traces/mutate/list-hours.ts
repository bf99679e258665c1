import { sql } from "kysely";
import type { Database } from "#storage/database.ts";
import { HOUR_MICROS } from "../totals/hour-changes.ts";
import { HOURS_OF_LEDGER } from "./hours-of-ledger.ts";
import type { RecountRange } from "./recounting-repairs.ts";

/** The hours in which spans or traces start, or that have totals, or in which the ledger says that stored spans start. */
export async function listHours(
	{ read }: Database,
	{ projectId, startMicros, endMicros }: RecountRange,
): Promise<readonly { readonly projectId: number; readonly hour: number }[]> {
	const started = (table: string) =>
		sql`select project_id, start_micros / ${sql.lit(HOUR_MICROS)} as hour from ${sql.table(table)}`;
	const { rows } = await sql<{ project_id: number; hour: number }>`
		select distinct project_id, hour from (
			${started("spans")} union ${started("traces")} union select project_id, hour from hours
			union ${HOURS_OF_LEDGER}
		) as started
		where project_id > 0 ${projectId === undefined ? sql`` : sql`and project_id = ${projectId}`}
			${startMicros === undefined ? sql`` : sql`and hour >= ${Math.floor(startMicros / HOUR_MICROS)}`}
			${endMicros === undefined ? sql`` : sql`and hour < ${Math.ceil(endMicros / HOUR_MICROS)}`}
		order by project_id, hour`.execute(read);
	return rows.map(({ project_id, hour }) => ({ projectId: project_id, hour }));
}
