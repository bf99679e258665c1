import type { Shard } from "#storage/clickhouse/shard.ts";
import { listHours } from "#storage/traces/clickhouse/integrity/check-hours.ts";
import { listProjects } from "#storage/traces/clickhouse/integrity/windows.ts";
import { HOURS } from "#storage/traces/clickhouse/tables.ts";
import { countHour } from "#storage/traces/clickhouse/upkeep/recount-hours.ts";
import { hourRow } from "#storage/traces/clickhouse/write/hour-rows.ts";
import { insertRows } from "#storage/traces/clickhouse/write/insert-rows.ts";
import type { CopiedNumbers } from "./insert-portable-rows.ts";

/** Writes the totals by hour of what a shard has; the source has those of all shards together. @throws ClickHouseOpenError */
export async function countAllHours(shard: Shard, numbers: CopiedNumbers, token: string): Promise<void> {
	for (const projectId of await listProjects(shard, ["spans", "traces"]))
		for (const hour of await listHours(shard, projectId)) {
			const changes = (await countHour(shard, projectId, hour)).list();
			const rows = changes.map((change) => hourRow(change, numbers));
			await insertRows(shard, HOURS, rows, `${token} ${projectId} ${hour}`);
		}
}
