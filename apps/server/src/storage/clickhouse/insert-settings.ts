import type { ClickHouseSettings as StatementSettings } from "@clickhouse/client";
import type { ClickHouseSettings, Topology } from "#base/clickhouse-address.ts";

type Replication = Pick<ClickHouseSettings, "asyncInsert" | "insertQuorum" | "topology">;

/** Of a shard with several replicas, where nothing else is asked for: a replica that is lost loses nothing. */
const SAFE_QUORUM = 2;
/** What a node waits for has to end before the sender's ten seconds do; an insert is repeated twice by us. */
const QUORUM_WITHIN_MS = 2_500;
/** After 0.1, 0.2 and 0.4 s. */
const KEEPER_RETRIES = 3;
/** Not repeated. */
const GATHERED_WITHIN_SECONDS = 8;

/** Whether ClickHouse copies rows from one replica to the others, by tables that are made for that. */
export function isReplicated(topology: Topology | undefined): boolean {
	return topology?.kind === "cluster" || topology?.kind === "replicated_database";
}

/** Replicas that have what an insert is answered for; 1 where rows are replicated to nobody, or by Cloud. */
export function quorumOf({ insertQuorum = "auto", topology }: Replication): number {
	if (topology === undefined || !isReplicated(topology)) return 1;
	return insertQuorum === "auto" ? Math.min(SAFE_QUORUM, topology.replicas) : insertQuorum;
}

/** Settings with which rows are stored, by what keeps them. */
export function insertSettings(replication: Replication): StatementSettings {
	return { ...asynchronous(replication), ...replicated(replication) };
}

/** Settings with which rows are read, by what keeps them. */
export function consistencySettings(topology: Topology | undefined): StatementSettings {
	// Any of Cloud's nodes may answer.
	return topology?.kind === "cloud" ? { select_sequential_consistency: "1" } : {};
}

/** Absent ones are those of every statement, which does not let a profile have its inserts gathered. */
function asynchronous({ asyncInsert = false }: Replication): StatementSettings {
	if (!asyncInsert) return {};
	return {
		async_insert: 1,
		async_insert_deduplicate: 1,
		wait_for_async_insert: 1,
		wait_for_async_insert_timeout: GATHERED_WITHIN_SECONDS,
	};
}

function replicated(replication: Replication): StatementSettings {
	const { topology } = replication;
	if (topology === undefined || topology.kind === "single") return {};
	const keeper = { insert_keeper_max_retries: String(KEEPER_RETRIES) };
	if (topology.kind === "cloud") return keeper;
	return {
		...keeper,
		insert_quorum: String(quorumOf(replication)),
		// Several servers insert into a table at the same time.
		insert_quorum_parallel: 1,
		insert_quorum_timeout: QUORUM_WITHIN_MS,
	};
}
