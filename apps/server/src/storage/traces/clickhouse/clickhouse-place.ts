import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { PlaceState, StorageNode, TracePlace } from "#storage/trace-place.ts";
import { describeNode } from "./read/describe-node.ts";
import type { TraceShard } from "./trace-shard.ts";
import { PendingDeletes } from "./upkeep/pending-deletes.ts";

/** The nodes that the settings name. */
export class ClickHousePlace implements TracePlace {
	readonly kind = "clickhouse";
	readonly #shard: TraceShard;
	readonly #settings: Pick<ClickHouseSettings, "insertIntervalMs">;
	readonly #pendingDeletes: PendingDeletes;

	constructor(shard: TraceShard, settings: Pick<ClickHouseSettings, "insertIntervalMs">) {
		this.#shard = shard;
		this.#settings = settings;
		this.#pendingDeletes = new PendingDeletes(shard);
	}

	delaySeconds(): number {
		return this.#shard.readDelaySeconds;
	}

	async describe(): Promise<PlaceState> {
		const { isReachable } = this.#shard;
		const delaySeconds = this.delaySeconds();
		const pendingDeleteBytes = isReachable ? await this.#pendingDeletes.read() : this.#pendingDeletes.last;
		return { isReachable, delaySeconds, pendingDeleteBytes, insertIntervalMs: this.#settings.insertIntervalMs };
	}

	async listNodes(): Promise<readonly StorageNode[]> {
		const { nodes } = this.#shard;
		return await Promise.all(
			nodes.map(async (node, index) => await describeNode(node, { shard: 1, replica: index + 1 })),
		);
	}
}
