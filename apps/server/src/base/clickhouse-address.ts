/** The nodes of a ClickHouse and how to use them. Plain data: it is sent to the ingest workers. */
export interface ClickHouseSettings {
	/**
	 * Of each shard the addresses of its replicas, preferred ones first, without user and password; a path is kept. At least
	 * one shard, and at least one replica of each.
	 */
	readonly shards: readonly (readonly string[])[];
	readonly user: string;
	readonly password: string;
	readonly database: string;
	/** PEM; the certificate of a node is always checked. */
	readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
	/** To each node, of this process: reading and writing. */
	readonly connections: number;
	readonly statementTimeoutMs: number;
	/** A statement may use so much memory of a node. */
	readonly queryMemoryBytes: number;
	/** The least time between two inserts of this process while it is busy. */
	readonly insertIntervalMs: number;
	/** Spans that end the wait for the interval. */
	readonly insertRows: number;
	/** Whether an insert is answered when the disk has it. */
	readonly durability: "full" | "relaxed";
	/** Of the tables, made by the operator. */
	readonly storagePolicy?: string;
	/** Where partitions move whose spans started so long ago; a volume of the policy. */
	readonly cold?: { readonly volume: string; readonly afterDays: number };
	/** In `system.clusters`: tables are made on all of its nodes. */
	readonly cluster?: string;
	/** Replicas that have what an insert is answered for, where there are several; `auto` when absent. */
	readonly insertQuorum?: "auto" | number;
	/** Whether any replica may be read, or the preferred one alone; that one when absent. */
	readonly reads?: "preferred" | "any";
	/** One that is further behind is not read. */
	readonly maxReplicaDelaySeconds?: number;
	/** Whether ClickHouse gathers inserts of several servers, each of which waits for its own. */
	readonly asyncInsert?: boolean;
	/** As found at the start; of a single node when absent. */
	readonly topology?: Topology;
}

/** What keeps the rows of a shard. */
export interface Topology {
	/**
	 * - `single`: a node, or several about which nothing is known
	 * - `cluster`: replicas whose tables are made on each
	 * - `replicated_database`: replicas whose database makes the tables on each
	 * - `cloud`: ClickHouse Cloud, which makes its own of what it is told
	 */
	readonly kind: "single" | "cluster" | "replicated_database" | "cloud";
	/** Known ones of a shard, whether or not they are there now. */
	readonly replicas: number;
}
