import { sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

/**
 * The statement that notes what a project is called which is about to be deleted: what was spent there stays.
 * @param at the placeholder of the time, microseconds since 1970
 * @param id that of the row number
 */
export function keepProjectNameSql(at: string, id: string): string {
	return `insert into spend_projects (id, name, origin, deleted_at)
		select id, name, origin, cast(${at} as bigint) from projects where id = ${id} on conflict (id) do nothing`;
}

/** The same in a transaction of the metadata database. */
export async function keepProjectName(transaction: Transaction<Tables>, projectId: number, at: number): Promise<void> {
	await sql`insert into spend_projects (id, name, origin, deleted_at)
		select id, name, origin, cast(${at} as bigint) from projects where id = ${projectId}
		on conflict (id) do nothing`.execute(transaction);
}
