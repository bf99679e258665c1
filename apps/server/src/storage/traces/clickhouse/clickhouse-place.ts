import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import type { OlderRows, PlaceState, StorageNode, TracePlace } from "#storage/trace-place.ts";
import { describeNode } from "./read/describe-node.ts";
import { countOlderRows } from "./readings/count-older.ts";
import type { KnownReadings } from "./readings/known-readings.ts";
import type { TraceShards } from "./shards/trace-shards.ts";
import { pendingBytes } from "./upkeep/pending-deletes.ts";
import { Seldom } from "./upkeep/seldom.ts";

type PlaceSettings = Pick<ClickHouseSettings, "insertIntervalMs" | "maxReplicaDelaySeconds">;

const NONE: OlderRows = { spans: 0, traces: 0 };

/** The shards that the settings name, with their nodes. */
export class ClickHousePlace implements TracePlace {
	readonly kind = "clickhouse";
	readonly #shards: TraceShards;
	readonly #settings: PlaceSettings;
	readonly #readings: Pick<KnownReadings, "hasOlder">;
	readonly #pendingBytes: Seldom<number>;
	readonly #olderRows: Seldom<OlderRows>;

	constructor(shards: TraceShards, settings: PlaceSettings, readings: Pick<KnownReadings, "hasOlder">) {
		this.#shards = shards;
		this.#settings = settings;
		this.#readings = readings;
		this.#pendingBytes = new Seldom(() => pendingBytes(shards));
		this.#olderRows = new Seldom(() => countOlderRows(shards));
	}

	delaySeconds(): number {
		return this.#shards.readDelaySeconds;
	}

	async describe(): Promise<PlaceState> {
		const { isReachable, away } = this.#shards;
		return {
			isReachable,
			isComplete: away.length === 0,
			delaySeconds: this.delaySeconds(),
			pendingDeleteBytes: await this.#measured(this.#pendingBytes),
			insertIntervalMs: this.#settings.insertIntervalMs,
		};
	}

	async countOlderRows(): Promise<OlderRows | null> {
		return this.#readings.hasOlder ? await this.#measured(this.#olderRows) : NONE;
	}

	async listNodes(): Promise<readonly StorageNode[]> {
		const nodes = this.#shards.list.flatMap(({ nodes: replicas }, shard) =>
			replicas.map((node, replica) => describeNode(node, { shard: shard + 1, replica: replica + 1 }, this.#settings)),
		);
		return await Promise.all(nodes);
	}

	async #measured<Figure>(seldom: Seldom<Figure>): Promise<Figure | null> {
		return this.#shards.away.length === 0 ? await seldom.read() : seldom.last;
	}
}
