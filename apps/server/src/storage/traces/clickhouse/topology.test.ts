import { expect, test } from "vitest";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { findTopology, type TopologySettings } from "./topology.ts";

const SETTINGS: TopologySettings = { shards: [["http://a:8123", "http://b:8123"]], database: "traces" };

interface Said {
	readonly engine?: string;
	/** Whether it says that it is of ClickHouse Cloud. */
	readonly isCloud?: boolean;
	/** Replicas of each shard; a failure where the user may not ask. */
	readonly clusters?: readonly number[] | ClickHouseFailure;
}

/** A node that knows nothing but how rows are kept. */
function nodeThat({ engine = "Atomic", isCloud = false, clusters = [] }: Said): ShardReader {
	const answer = (statement: string): readonly object[] => {
		if (statement.includes("system.databases")) return [{ engine }];
		if (statement.includes("cloud_mode")) return [{ signs: isCloud ? 1 : 0 }];
		if (clusters instanceof ClickHouseFailure) throw clusters;
		return clusters.map((replicas, index) => ({ cluster: "traces", shard: index + 1, replicas }));
	};
	return { select: async (statement: string) => answer(statement) } as unknown as ShardReader;
}

test.each<[string, Said, Partial<TopologySettings>, object]>([
	["nodes of their own", {}, {}, { kind: "single", replicas: 2 }],
	["a cluster", { clusters: [3] }, { cluster: "traces" }, { kind: "cluster", replicas: 3 }],
	["a replicated database", { engine: "Replicated", clusters: [3] }, {}, { kind: "replicated_database", replicas: 3 }],
	[
		"one whose replicas the user may not count",
		{ engine: "Replicated", clusters: new ClickHouseFailure("refused", "refused", 497) },
		{ insertQuorum: 2 },
		{ kind: "replicated_database", replicas: 2 },
	],
	["ClickHouse Cloud", { engine: "Replicated", isCloud: true }, {}, { kind: "cloud", replicas: 2 }],
	["its newer databases", { engine: "Shared" }, {}, { kind: "cloud", replicas: 2 }],
])("recognises %s", async (_, said, more, topology) => {
	expect(await findTopology(nodeThat(said), { ...SETTINGS, ...more })).toEqual(topology);
});

test.each<[string, Said, Partial<TopologySettings>, RegExp]>([
	["without clusters", {}, { cluster: "traces" }, /is traces, and ClickHouse at a:8123, b:8123 knows no cluster$/],
	["that it does not know", { clusters: [2] }, { cluster: "other" }, /is other, and .* knows only traces$/],
	["of more shards", { clusters: [2, 2] }, { cluster: "traces" }, /has 2 shards, and .* lists 1 shard:/],
	[
		"beside a replicated database",
		{ engine: "Replicated" },
		{ cluster: "traces" },
		/replicated database.* leave it out$/,
	],
	["in ClickHouse Cloud", { isCloud: true }, { cluster: "traces" }, /ClickHouse Cloud .* leave it out$/],
	[
		"with fewer replicas than the quorum",
		{ clusters: [2] },
		{ cluster: "traces", insertQuorum: 3 },
		/QUORUM is 3, and .* has 2 replicas, so that nothing could be stored$/,
	],
])("refuses a cluster %s", async (_, said, more, message) => {
	await expect(findTopology(nodeThat(said), { ...SETTINGS, ...more })).rejects.toThrow(message);
});
