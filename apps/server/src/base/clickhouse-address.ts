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
}
