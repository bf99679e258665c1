/** The servers that have traces, and how they fare, for people who look after them. */
export interface TracePlace {
	readonly kind: "sqlite" | "postgres" | "clickhouse";
	/** As in `describe`, without asking; absent where it is always 0. */
	delaySeconds?(): number;
	/** As this process knows it. What cannot be asked at the moment is as it was last, or null. */
	describe(): Promise<PlaceState>;
	/** As counted lately; null while they are not known. Absent where there never are any. */
	countOlderRows?(): Promise<OlderRows | null>;
	/** All nodes, by shard and replica; at least one. Those that cannot be reached say so. */
	listNodes(): Promise<readonly StorageNode[]>;
}

export interface PlaceState {
	/** Whether any part of the traces is there. */
	readonly isReachable: boolean;
	/** Whether all of them are. */
	readonly isComplete: boolean;
	/** How long ago a span may have been stored that lists do not show yet. */
	readonly delaySeconds: number;
	/** What deleted data still take on the disk, about; null while it is not known. */
	readonly pendingDeleteBytes: number | null;
	/** The least time between two inserts of a busy process, as set; null where batches are committed as they come. */
	readonly insertIntervalMs: number | null;
}

/** Rows that a former version's reading of attributes has made and that are to be made anew, by table. */
export interface OlderRows {
	readonly spans: number;
	readonly traces: number;
}

export type NodeState = "ok" | "behind" | "read_only" | "full" | "unreachable";

/** A server that has traces, or a file. What it does not have, or does not tell, is null. */
export interface StorageNode {
	/** Both from 1. Replicas of a shard have the same rows. */
	readonly shard: number;
	readonly replica: number;
	/** `host:port`, or `localhost` for a file. */
	readonly host: string;
	/** Of the database. */
	readonly version: string | null;
	readonly state: NodeState;
	/** Behind the other replicas. */
	readonly delaySeconds: number | null;
	/** What it has to do to catch up with the other replicas. */
	readonly queueSize: number | null;
	/** Parts of the partition that has most of them: merges make them fewer. */
	readonly activePartsMax: number | null;
	/** The parts of the fullest partition as a share of those at which inserts are refused. */
	readonly partsLimitRatio: number | null;
	/** That run now. */
	readonly merges: number | null;
	/** Changes of stored rows that are not done yet. */
	readonly mutationsPending: number | null;
	/** Of its disks. */
	readonly freeBytes: number | null;
	readonly totalBytes: number | null;
	/** Of the last hour; without values or texts of statements. */
	readonly lastError: { readonly atMicros: number; readonly message: string } | null;
}

/** What a node says of itself that has nothing but traces to tell of. */
export const SINGLE_NODE = {
	...{ shard: 1, replica: 1, state: "ok", delaySeconds: 0, queueSize: 0 },
	...{ activePartsMax: null, partsLimitRatio: null, merges: null, mutationsPending: null },
	...{ freeBytes: null, totalBytes: null, lastError: null },
} as const satisfies Partial<StorageNode>;
