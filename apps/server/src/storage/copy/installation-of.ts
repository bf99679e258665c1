import type { DatabaseSync } from "node:sqlite";
import type { ClientBase } from "pg";
import { findRow } from "#storage/sqlite/rows.ts";
import { FIND_INSTALLATION_ELSEWHERE } from "#storage/traces/clickhouse/metadata/common-metadata.ts";
import { isForClickHouse } from "#storage/traces/clickhouse/metadata/sqlite-schema.ts";

/** The id that the traces in ClickHouse have as well; undefined where traces are with everything else. */
export function installationOfFile(db: DatabaseSync): string | undefined {
	if (!isForClickHouse(db)) return undefined;
	return findRow<{ value: string }>(db.prepare(FIND_INSTALLATION_ELSEWHERE))?.value;
}

/** As {@link installationOfFile}, of the schema that the connection uses. */
export async function installationOfSchema(client: ClientBase): Promise<string | undefined> {
	const { rows: found } = await client.query("select to_regclass('clickhouse_facts') as found");
	if (found[0]?.found === null) return undefined;
	const { rows } = await client.query<{ value: string }>(FIND_INSTALLATION_ELSEWHERE);
	return rows[0]?.value;
}
