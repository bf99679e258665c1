import { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { openEachShard, type Shard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { findDatabaseEngine } from "#storage/traces/clickhouse/topology.ts";
import type { Section } from "../report.ts";
import { checkNode } from "./node.ts";
import { noteFailure } from "./note-failure.ts";
import { checkReplicas, checkTopology } from "./replicas.ts";
import { checkRights } from "./rights.ts";
import { checkInstallation, checkListOfShards, checkTables } from "./tables.ts";
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
	const sections: Section[] = [];
	for (const [index, urls] of settings.shards.entries()) {
		const ofShard = { ...settings, shards: [urls] };
		// A database that is missing would have every statement refused.
		for (const opened of openEachShard(ofShard, "system")) {
			await using server = opened;
			sections.push(
				...(await checkShard(server, {
					settings: ofShard,
					number: index + 1,
					count: settings.shards.length,
					database,
				})),
			);
		}
	}
	if (settings.shards.length === 1) return sections;
	const steps = new Steps();
	await checkListOfShards(settings, database, steps);
	return [...sections, { title: "Shards of ClickHouse", steps: steps.list }];
}

interface CheckedShard {
	/** Of this shard alone. */
	readonly settings: ClickHouseSettings;
	/** From 1. */
	readonly number: number;
	/** How many shards there are. */
	readonly count: number;
	readonly database: Database | undefined;
}

async function checkShard(server: Shard, checked: CheckedShard): Promise<Section[]> {
	const sections: Section[] = [];
	let first: ClickHouseNode | undefined;
	for (const [index, node] of server.nodes.entries()) {
		const steps = new Steps();
		const url = new URL(checked.settings.shards[0]?.[index] ?? "");
		if (await checkNode(node, url, checked.settings, steps)) first ??= node;
		sections.push({ title: `ClickHouse at ${node.name}`, steps: steps.list });
	}
	if (first === undefined) return sections;
	const steps = new Steps();
	await checkTraces(first, checked, steps);
	return [
		...sections,
		{ title: `Traces in ClickHouse${checked.number > 1 ? `, shard ${checked.number}` : ""}`, steps: steps.list },
	];
}

/** @param node one that answers */
async function checkTraces(
	node: ClickHouseNode,
	{ settings, number, count, database }: CheckedShard,
	steps: Steps,
): Promise<void> {
	try {
		const engine = await findDatabaseEngine(node, settings.database);
		await checkRights(node, settings, { isThere: engine !== undefined }, steps);
		const topology = await checkTopology(node, settings, count, steps);
		if (engine === undefined) return;
		const found = topology === undefined ? settings : { ...settings, topology };
		for (const opened of openEachShard(found)) {
			await using shard = opened;
			const areThere = await checkTables(shard, found, steps);
			if (areThere) await checkInstallation(shard, found, database, steps);
			await checkReplicas(shard, found, steps);
			await checkUpkeep(shard, number, found, steps);
		}
	} catch (error) {
		noteFailure(error, settings, steps, "connect");
	}
}
