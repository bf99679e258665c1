import type { ClientBase } from "pg";

/** Whether the tables of traces are empty, because what refers to spans refers to those in ClickHouse. */
export async function hasTracesInClickHouse(client: ClientBase): Promise<boolean> {
	const { rows } = await client.query("select to_regclass('clickhouse_facts') as facts");
	if (rows[0]?.facts === null) return false;
	const { rows: noted } = await client.query("select from clickhouse_facts where name = 'traces'");
	return noted.length > 0;
}
