import type { Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings, Topology } from "#base/clickhouse-address.ts";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import { isReplicated, quorumOf } from "#storage/clickhouse/insert-settings.ts";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { readReplicaState } from "#storage/clickhouse/replica-watch.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { findTopology } from "#storage/traces/clickhouse/topology.ts";
import { noteFailure } from "./note-failure.ts";

const URL_SETTING = ["SERVICE_CLICKHOUSE_URL"];
const QUORUM = ["SERVICE_CLICKHOUSE_INSERT_QUORUM"];
const DELAY = ["SERVICE_CLICKHOUSE_MAX_REPLICA_DELAY_SECONDS"];

/**
 * Checks how the rows of the traces are kept.
 * @param node with a database that every server has
 * @param settings of one shard
 * @param shards as many as are listed
 * @returns undefined where the settings do not fit to what is there
 */
export async function checkTopology(
	node: ClickHouseNode,
	settings: ClickHouseSettings,
	shards: number,
	steps: Steps,
): Promise<Topology | undefined> {
	try {
		const topology = await findTopology(node, settings, shards);
		noteTopology(topology, { ...settings, topology }, steps);
		return topology;
	} catch (error) {
		noteFailure(error, settings, steps, "replica");
		return undefined;
	}
}

function noteTopology(topology: Topology, settings: ClickHouseSettings, steps: Steps): void {
	const { kind, replicas } = topology;
	const quorum = quorumOf(settings);
	const facts = [
		{ name: "Replicas", value: String(replicas) },
		{ name: "Replicas that have what is acknowledged", value: String(quorum) },
	];
	if (kind === "cloud") steps.ok("replica", "ClickHouse Cloud keeps the traces.");
	else if (kind === "single" && replicas > 1)
		steps.warn(
			"replica",
			`SERVICE_CLICKHOUSE_URL lists ${replicas} nodes, and nothing replicates the tables: name the cluster in SERVICE_CLICKHOUSE_CLUSTER, use a replicated database, or list one node.`,
			{ settings: ["SERVICE_CLICKHOUSE_CLUSTER", ...URL_SETTING] },
		);
	else if (kind === "single") steps.ok("replica", "A single node keeps the traces.");
	else if (quorum < 2 && replicas > 1)
		steps.warn(
			"replica",
			`One of ${replicas} replicas has what is acknowledged, by SERVICE_CLICKHOUSE_INSERT_QUORUM=1: if it is lost, so is what the others do not have yet.`,
			{ settings: QUORUM, facts },
		);
	else {
		const by = kind === "cluster" ? `The cluster ${settings.cluster}` : `The database ${settings.database}`;
		steps.ok("replica", `${by} replicates the traces.`, { facts });
	}
}

/** Checks how far replicas are behind each other. */
export async function checkReplicas(
	shard: Shard,
	{ topology, maxReplicaDelaySeconds = 0 }: ClickHouseSettings,
	steps: Steps,
): Promise<void> {
	if (!isReplicated(topology)) return;
	for (const node of shard.nodes) {
		try {
			const { delay, isReadOnly } = await readReplicaState(node);
			const facts = [{ name: "Node", value: node.name }];
			if (isReadOnly) continue;
			if (delay > maxReplicaDelaySeconds)
				steps.warn("replica", `A replica is ${delay} s behind, and is not read: its queue and its log say why.`, {
					settings: DELAY,
					facts,
				});
			else steps.ok("replica", `A replica is ${delay} s behind the others.`, { facts });
		} catch (error) {
			if (!(error instanceof ClickHouseFailure)) throw error;
			// One that cannot be reached has been told; the right has been, too.
			steps.skip("replica", `How far a replica is behind is not known: ${error.message}.`);
		}
	}
}
