import { findDamage } from "../../apps/server/src/storage/traces/clickhouse/integrity/check-integrity.ts";
import type { ClickHouseUnderTest } from "./open-store.ts";

/** What verify would say is wrong. @param leaveOut told of what changes all the time */
export async function damageIn(
	{ shards, db }: Pick<ClickHouseUnderTest, "shards" | "db">,
	leaveOut?: () => void,
): Promise<string[]> {
	const checked = { shards, db: db.read, ...(leaveOut === undefined ? {} : { leaveOut }) };
	const wrong: string[] = [];
	for await (const found of findDamage(checked)) if (found.wrong !== undefined) wrong.push(found.wrong);
	return wrong;
}
