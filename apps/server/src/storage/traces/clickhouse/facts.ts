import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { selectFinal } from "./read/query.ts";
import { FACTS } from "./tables.ts";
import { insertRows } from "./write/insert-rows.ts";

/**
 * `reading` is the lowest reading that a row may have, the first when absent; `shard` is the number of the shard, from 1, `shards` how many there were when; of `server` see
 * `only-server.ts`.
 */
export type FactName =
	| "schema_version"
	| "installation_id"
	| "shard"
	| "shards"
	| "dropped_days"
	| "reading"
	| "server";

/** What `installation_id` says until all traces of the installation have been copied there. */
const COPYING = "unfinished copy ";

/** The value of `installation_id` while a copy is not complete. */
export function unfinished(installationId: string): string {
	return `${COPYING}${installationId}`;
}

/** Whether a value of `installation_id` says that a copy is not complete. */
export function isUnfinished(value: string | undefined): boolean {
	return value?.startsWith(COPYING) === true;
}

/** What the tables say of themselves; undefined where they do not. @throws ClickHouseFailure */
export async function readFact(shard: Shard, name: FactName): Promise<string | undefined> {
	const [row] = await selectFinal(
		shard,
		"select value from facts where name = {name:String}",
		{ value: types.Text },
		{ name },
	);
	return row?.value;
}

/** All of them, by name. @throws ClickHouseFailure */
export async function readFacts(shard: Shard): Promise<ReadonlyMap<string, string>> {
	const rows = await selectFinal(shard, "select name, value from facts", { name: types.Text, value: types.Text });
	return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Notes a fact in the place of the former one. @throws ClickHouseFailure */
export async function noteFact(shard: Shard, name: FactName, value: string): Promise<void> {
	const [row] = await selectFinal(
		shard,
		"select max(version) as version from facts where name = {name:String}",
		{ version: types.Count },
		{ name },
	);
	const version = (row?.version ?? 0) + 1;
	await insertRows(shard, FACTS, [{ name, value, version, is_deleted: 0 }], `fact ${name} ${value} ${version}`);
}
