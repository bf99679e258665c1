import type { ClientBase } from "pg";

/**
 * Counts the spans without an end. Those that are stored already were taken for ended in 1970, and count as such.
 * Servers of the former version may go on: the default is for their rows.
 */
export async function countRunningSpans(client: ClientBase): Promise<void> {
	for (const table of ["traces", "sessions", "hours"])
		await client.query(`alter table ${table} add column running_count bigint not null default 0`);
}
