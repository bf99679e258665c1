import type { ClickHouseSettings, Topology } from "#base/clickhouse-address.ts";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import { isReplicated } from "#storage/clickhouse/insert-settings.ts";
import { ClickHouseOpenError, nodeNames } from "#storage/clickhouse/open-errors.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";

const CLUSTER = ["SERVICE_CLICKHOUSE_CLUSTER"];
const ACCESS_DENIED = 497;

/** What decides how the rows of a shard are kept. */
export type TopologySettings = Pick<ClickHouseSettings, "cluster" | "database" | "insertQuorum" | "shards">;

/**
 * How the rows of a shard are kept.
 * @param node with a database that every server has
 * @param shards as listed in the settings
 * @throws ClickHouseFailure; ClickHouseOpenError where the settings name what is not there
 */
export async function findTopology(
	node: ShardReader,
	settings: TopologySettings,
	shards = settings.shards.length,
): Promise<Topology> {
	const topology = await recognize(node, settings, shards);
	const { insertQuorum } = settings;
	if (isReplicated(topology) && typeof insertQuorum === "number" && insertQuorum > topology.replicas)
		throw new ClickHouseOpenError(
			`SERVICE_CLICKHOUSE_INSERT_QUORUM is ${insertQuorum}, and ClickHouse at ${nodeNames(settings)} has ${topology.replicas} replicas, so that nothing could be stored`,
			["SERVICE_CLICKHOUSE_INSERT_QUORUM"],
		);
	return topology;
}

async function recognize(node: ShardReader, settings: TopologySettings, shards: number): Promise<Topology> {
	const { cluster, database } = settings;
	const listed = Math.min(...settings.shards.map((urls) => urls.length));
	const engine = await findDatabaseEngine(node, database);
	if (engine === "Shared" || (await isCloud(node, database))) {
		if (cluster !== undefined) throw replicatesItself(cluster, "ClickHouse Cloud");
		return { kind: "cloud", replicas: listed };
	}
	if (engine === "Replicated") {
		if (cluster !== undefined) throw replicatesItself(cluster, `the replicated database ${database}`);
		const replicas = await countReplicas(node, database);
		return { kind: "replicated_database", replicas: Math.max(listed, replicas) };
	}
	if (cluster === undefined) return { kind: "single", replicas: listed };
	return { kind: "cluster", replicas: await replicasOfCluster(node, cluster, settings, shards) };
}

/**
 * What is true of all shards: the fewest replicas that one has.
 * @param topologies at least one
 * @throws ClickHouseOpenError where shards keep rows in different ways
 */
export function commonTopology(topologies: readonly Topology[], settings: TopologySettings): Topology {
	const [first, ...others] = topologies;
	if (first === undefined) throw new RangeError("there is at least one shard");
	const other = others.findIndex(({ kind }) => kind !== first.kind);
	if (other >= 0)
		throw new ClickHouseOpenError(
			`the shards of ClickHouse at ${nodeNames(settings)} keep rows in different ways, shard ${other + 2} not as shard 1: a database that is replicated on one has to be on all`,
			["SERVICE_CLICKHOUSE_URL"],
		);
	return { kind: first.kind, replicas: Math.min(...topologies.map(({ replicas }) => replicas)) };
}

function replicatesItself(cluster: string, what: string): ClickHouseOpenError {
	return new ClickHouseOpenError(
		`SERVICE_CLICKHOUSE_CLUSTER is ${cluster}, and ${what} makes tables on all of its replicas itself: leave it out`,
		CLUSTER,
	);
}

/** The engine of a database; undefined where there is none of that name. @throws ClickHouseFailure */
export async function findDatabaseEngine(node: ShardReader, database: string): Promise<string | undefined> {
	const find = "select engine from system.databases where name = {database:String}";
	const [found] = await node.select(find, { engine: types.Text }, { params: { database } });
	return found?.engine;
}

async function isCloud(node: ShardReader, database: string): Promise<boolean> {
	const [found] = await node.select(
		`select count() as signs from (
			select 1 from system.settings where name = 'cloud_mode' and value = '1'
			union all
			select 1 from system.tables where database = {database:String} and startsWith(engine, 'Shared')
		)`,
		{ signs: types.Count },
		{ params: { database } },
	);
	return (found?.signs ?? 0) > 0;
}

/** Replicas of the smallest shard. */
async function replicasOfCluster(
	node: ShardReader,
	cluster: string,
	settings: TopologySettings,
	shards: number,
): Promise<number> {
	const found = await node.select(
		"select cluster, toInt64(shard_num) as shard, toInt64(count()) as replicas from system.clusters group by all order by all",
		{ cluster: types.Text, shard: types.Integer, replicas: types.Integer },
	);
	const own = found.filter((each) => each.cluster === cluster);
	const at = `ClickHouse at ${nodeNames(settings)}`;
	if (own.length === 0) {
		const known = [...new Set(found.map((each) => each.cluster))];
		throw new ClickHouseOpenError(
			`SERVICE_CLICKHOUSE_CLUSTER is ${cluster}, and ${at} knows ${known.length === 0 ? "no cluster" : `only ${known.join(", ")}`}`,
			CLUSTER,
		);
	}
	if (own.length !== shards)
		throw new ClickHouseOpenError(
			`the cluster ${cluster} of ${at} has ${counted(own.length, "shard")}, and SERVICE_CLICKHOUSE_URL lists ${counted(shards, "shard")}: they must be equally many`,
			[...CLUSTER, "SERVICE_CLICKHOUSE_URL"],
		);
	return Math.min(...own.map(({ replicas }) => replicas));
}

function counted(count: number, what: string): string {
	return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Of a shard of a replicated database, whose cluster has its name; 0 where the user may not ask. */
async function countReplicas(node: ShardReader, database: string): Promise<number> {
	try {
		const shards = await node.select(
			"select toInt64(count()) as replicas from system.clusters where cluster = {database:String} group by shard_num",
			{ replicas: types.Integer },
			{ params: { database } },
		);
		return shards.length === 0 ? 0 : Math.min(...shards.map(({ replicas }) => replicas));
	} catch (error) {
		if (!(error instanceof ClickHouseFailure) || error.code !== ACCESS_DENIED) throw error;
		return 0;
	}
}
