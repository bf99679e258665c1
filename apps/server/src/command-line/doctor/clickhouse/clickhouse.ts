import { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { openShard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { findDatabaseEngine } from "#storage/traces/clickhouse/topology.ts";
import type { Section } from "../report.ts";
import { checkNode } from "./node.ts";
import { noteFailure } from "./note-failure.ts";
import { checkReplicas, checkTopology } from "./replicas.ts";
import { checkRights } from "./rights.ts";
import { checkInstallation, checkTables } from "./tables.ts";
import { checkUpkeep } from "./upkeep.ts";

const STATEMENT_MS = 20_000;

/**
 * Checks that a server with these settings can keep traces in ClickHouse; changes nothing.
 * @param database the metadata database; undefined where it cannot be read
 */
export async function checkClickHouse(
	given: ClickHouseSettings,
	database: Database | undefined,
): Promise<readonly Section[]> {
	const settings = { ...given, statementTimeoutMs: STATEMENT_MS };
	// A database that is missing would have every statement refused.
	await using server = openShard(settings, "system");
	const sections: Section[] = [];
	let first: ClickHouseNode | undefined;
	for (const [index, node] of server.nodes.entries()) {
		const steps = new Steps();
		const url = new URL(settings.urls[index] ?? "");
		if (await checkNode(node, url, settings, steps)) first ??= node;
		sections.push({ title: `ClickHouse at ${node.name}`, steps: steps.list });
	}
	if (first === undefined) return sections;
	const steps = new Steps();
	await checkTraces(first, settings, database, steps);
	return [...sections, { title: "Traces in ClickHouse", steps: steps.list }];
}

/** @param node one that answers */
async function checkTraces(
	node: ClickHouseNode,
	settings: ClickHouseSettings,
	database: Database | undefined,
	steps: Steps,
): Promise<void> {
	try {
		const engine = await findDatabaseEngine(node, settings.database);
		await checkRights(node, settings, { isThere: engine !== undefined }, steps);
		const topology = await checkTopology(node, settings, steps);
		if (engine === undefined) return;
		const found = topology === undefined ? settings : { ...settings, topology };
		await using shard = openShard(found);
		const areThere = await checkTables(shard, found, steps);
		if (areThere) await checkInstallation(shard, found, database, steps);
		await checkReplicas(shard, found, steps);
		await checkUpkeep(shard, found, steps);
	} catch (error) {
		noteFailure(error, settings, steps, "connect");
	}
}
