import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { PlaceState, StorageNode, TracePlace } from "#storage/trace-place.ts";
import { describeNode } from "./read/describe-node.ts";
import type { TraceShards } from "./shards/trace-shards.ts";
import { PendingDeletes } from "./upkeep/pending-deletes.ts";

type PlaceSettings = Pick<ClickHouseSettings, "insertIntervalMs" | "maxReplicaDelaySeconds">;

/** The shards that the settings name, with their nodes. */
export class ClickHousePlace implements TracePlace {
	readonly kind = "clickhouse";
	readonly #shards: TraceShards;
	readonly #settings: PlaceSettings;
	readonly #pendingDeletes: PendingDeletes;

	constructor(shards: TraceShards, settings: PlaceSettings) {
		this.#shards = shards;
		this.#settings = settings;
		this.#pendingDeletes = new PendingDeletes(shards);
	}

	delaySeconds(): number {
		return this.#shards.readDelaySeconds;
	}

	async describe(): Promise<PlaceState> {
		const { isReachable, away } = this.#shards;
		const pendingDeleteBytes = away.length === 0 ? await this.#pendingDeletes.read() : this.#pendingDeletes.last;
		return {
			isReachable,
			isComplete: away.length === 0,
			delaySeconds: this.delaySeconds(),
			pendingDeleteBytes,
			insertIntervalMs: this.#settings.insertIntervalMs,
		};
	}

	async listNodes(): Promise<readonly StorageNode[]> {
		const nodes = this.#shards.list.flatMap(({ nodes: replicas }, shard) =>
			replicas.map((node, replica) => describeNode(node, { shard: shard + 1, replica: replica + 1 }, this.#settings)),
		);
		return await Promise.all(nodes);
	}
}
