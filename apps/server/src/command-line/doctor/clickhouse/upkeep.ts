import type { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { StorageNode } from "#storage/trace-place.ts";
import { describeNode } from "#storage/traces/clickhouse/read/describe-node.ts";
import { readUsedBytes } from "#storage/traces/clickhouse/read/used-bytes.ts";
import { strainOfParts } from "#storage/traces/clickhouse/write/strain-of-parts.ts";
import { mebibytes } from "../disk.ts";

/** Below this share of the disk, merges of large parts may find no room. */
const LITTLE_SHARE = 0.1;
/** Logs of ClickHouse itself that are smaller are nobody's worry. */
const LARGE_LOGS = 268_435_456;

/** Checks room, merges, changes of tables and logs of the nodes, and what their profiles set. */
export async function checkUpkeep(
	shard: Shard,
	number: number,
	settings: ClickHouseSettings,
	steps: Steps,
): Promise<void> {
	for (const [index, node] of shard.nodes.entries())
		noteNode(await describeNode(node, { shard: number, replica: index + 1 }, settings), steps);
	await told(steps, "merges", () => checkParts(shard, steps));
	await told(steps, "merges", () => checkMutations(shard, steps));
	await told(steps, "disk", () => checkLogs(shard, steps));
	for (const node of shard.nodes) await told(steps, "settings", () => checkProfile(node, settings, steps));
}

/** A user who may not ask is told by the rights. */
async function told(steps: Steps, name: "merges" | "disk" | "settings", check: () => Promise<void>): Promise<void> {
	try {
		await check();
	} catch (error) {
		if (!(error instanceof ClickHouseFailure)) throw error;
		steps.skip(name, `ClickHouse does not tell: ${error.message}.`);
	}
}

function noteNode(node: StorageNode, steps: Steps): void {
	const { host, state, freeBytes, totalBytes, lastError } = node;
	const facts = [{ name: "Node", value: host }];
	if (state === "unreachable") return;
	if (lastError !== null)
		steps.warn("merges", "ClickHouse has failed at something within the last hour; its log says at what.", {
			facts: [...facts, { name: "Error", value: lastError.message }],
		});
	if (state === "read_only")
		steps.fail("merges", "Tables take no changes: is the Keeper of this node there?", { facts });
	if (freeBytes === null || totalBytes === null) return;
	const text = `${mebibytes(freeBytes)} of ${mebibytes(totalBytes)} are free on ClickHouse's disk`;
	if (state === "full") steps.fail("disk", `${text}: nothing more can be stored. Make room there.`, { facts });
	else if (freeBytes < totalBytes * LITTLE_SHARE)
		steps.warn("disk", `${text}: merges of large parts need room for both. Make room there, or delete old traces.`, {
			facts,
		});
	else steps.ok("disk", `${text}.`, { facts });
}

async function checkParts(shard: Shard, steps: Steps): Promise<void> {
	const strain = await strainOfParts(shard, AbortSignal.timeout(10_000));
	const facts = [{ name: "Parts, of those that are too many, in percent", value: String(Math.round(strain * 100)) }];
	if (strain > 1)
		steps.warn(
			"merges",
			"Merges do not keep up: a partition has so many parts that inserts are paced. Look at ClickHouse's disk and processors, or raise SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS.",
			{ settings: ["SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS"], facts },
		);
	else steps.ok("merges", "Merges keep up with what is inserted.", { facts });
}

async function checkMutations(shard: Shard, steps: Steps): Promise<void> {
	const rows = await shard.select(
		`select table, mutation_id as id, any(latest_fail_error_code_name) as error from system.mutations
		where database = currentDatabase() and not is_done and latest_fail_reason <> '' group by table, id`,
		{ table: types.Text, id: types.Text, error: types.Text },
	);
	if (rows.length === 0) return;
	steps.fail(
		"merges",
		"Changes of tables fail again and again, and hold up merges: kill those that cannot succeed (kill mutation where …).",
		{ facts: rows.slice(0, 10).map(({ table, id, error }) => ({ name: `${table}, ${id}`, value: error })) },
	);
}

async function checkLogs(shard: Shard, steps: Steps): Promise<void> {
	const rows = await shard.select(
		`select table, sum(bytes_on_disk) as bytes from system.parts
		where database = 'system' and active and match(table, '_log(_[0-9]+)?$') group by table order by bytes desc`,
		{ table: types.Text, bytes: types.Count },
	);
	const logs = rows.reduce((sum, { bytes }) => sum + bytes, 0);
	const traces = await readUsedBytes(shard);
	if (logs <= Math.max(traces, LARGE_LOGS)) return;
	steps.warn(
		"disk",
		`Logs of ClickHouse itself take ${mebibytes(logs)}, and all traces ${mebibytes(traces)}: give these tables a TTL in its configuration.`,
		{ facts: rows.slice(0, 5).map(({ table, bytes }) => ({ name: `system.${table}`, value: mebibytes(bytes) })) },
	);
}

async function checkProfile(node: ClickHouseNode, { user }: ClickHouseSettings, steps: Steps): Promise<void> {
	const overridden = await node.listOverriddenSettings();
	if (overridden.length === 0) return;
	const names = overridden.join(", ");
	steps.ok("settings", `Statements override what the profile of the user ${user} sets at ${node.name}: ${names}.`);
}
