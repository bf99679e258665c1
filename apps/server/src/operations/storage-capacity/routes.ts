import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "#http/cursors.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import type { StorageNode } from "#storage/trace-place.ts";
import { capacitySettings } from "./storage-capacity.ts";
import { listNodes, readTracesHealth, type TracesHealth } from "./traces-health.ts";

const percentage = z.number().nullable();
const count = z.int().nullable();

const NODE_STATES = ["ok", "behind", "read_only", "full", "unreachable"] as const;

const TracesState = z
	.object({
		kind: z.enum(["sqlite", "postgres", "clickhouse"]),
		state: z
			.enum([...NODE_STATES, "incomplete"])
			.describe(
				"As this server saw it last. `read_only` and `full`: exports are refused, reading goes on. `behind`: a replica is read that lacks the latest. `incomplete`: a shard is away.",
			),
		delay_seconds: z.number().describe("How long ago a span may have been stored that lists do not show yet."),
		pending_delete_bytes: count.describe(
			"What deleted data still take on the disk, about; null while it is not known.",
		),
		insert_interval_ms: count.describe(
			"The least time between two inserts of this server while it is busy; null where each batch is committed at once, which is so but with ClickHouse.",
		),
		older_rows: count.describe(
			"Rows of spans and traces that a former version's reading of attributes has made, and that are being made anew since an upgrade; null while it is not known. Always 0 but with ClickHouse.",
		),
	})
	.meta({ id: "TracesState" });

const StorageState = z
	.object({
		used_bytes: z.int().describe("What the database contains, without the space that deletions have freed."),
		capacity_bytes: z.int().nullable().describe("Null where no capacity is set."),
		used_percentage: percentage,
		warning_threshold_percentage: percentage,
		blocking_threshold_percentage: percentage,
		state: z.enum(["unlimited", "ok", "warning", "blocked"]).describe("`blocked`: nothing new is stored."),
		measured_at: wireTime.describe("Earlier where it cannot be measured now."),
		traces: TracesState.describe("The place of traces."),
	})
	.meta({ id: "StorageState" });

const StorageNodeWire = z
	.object({
		shard: z.int().describe("From 1, as `replica`."),
		replica: z.int().describe("Replicas of a shard have the same rows."),
		host: z.string(),
		version: z.string().nullable().describe("Of the database."),
		state: z.enum(NODE_STATES),
		delay_seconds: z.number().nullable().describe("Behind other replicas."),
		queue_size: count.describe("What is left to do to catch up with other replicas."),
		active_parts_max: count.describe("Parts of the partition that has most of them; merges make them fewer."),
		merges: count.describe("That run now."),
		free_bytes: count.describe("Of its disks."),
		total_bytes: count,
		last_error: z
			.object({ at: wireTime, message: z.string() })
			.nullable()
			.describe("Why it cannot be reached, or what it failed at within the last hour."),
	})
	.describe("What a node does not have, or does not tell the user of this server, is null.")
	.meta({ id: "StorageNode" });

/** How full the storage is, and how what has the traces fares. */
export function storageRoutes(app: App, context: Pick<Context, "capacity" | "config" | "ingest" | "place">): void {
	const { capacity, config } = context;

	app.get(
		"/v1/storage",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getStorage",
				tags: ["storage"],
				summary: "How full the storage is, and whether anything new can be stored",
				response: { 200: z.object({ data: StorageState }) },
			},
		},
		async () => {
			const [usage, traces] = await Promise.all([capacity.latest(), readTracesHealth(context)]);
			const { warning, blocking } = capacitySettings(config);
			return {
				data: {
					used_bytes: usage.usedBytes,
					capacity_bytes: usage.capacityBytes,
					used_percentage: usage.usedPercentage,
					warning_threshold_percentage: warning,
					blocking_threshold_percentage: blocking,
					state: usage.state,
					measured_at: formatTime(usage.measuredAt),
					traces: toTracesState(traces),
				},
			};
		},
	);

	app.get(
		"/v1/storage/nodes",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "getStorageNodes",
				tags: ["storage"],
				summary: "Page through the servers that have traces, by shard and replica",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(StorageNodeWire).meta({ id: "StorageNodePage" }) },
			},
		},
		async ({ query }) => {
			const from = decodeIdCursor("StorageNode", query.cursor) ?? 1;
			const nodes = (await listNodes(context)).map((node, index) => ({ ...node, id: index + 1 }));
			const { items, next_cursor } = pageById("StorageNode", nodes.slice(from - 1), query.limit);
			return { data: items.map(toStorageNode), next_cursor };
		},
	);
}

function toTracesState(health: TracesHealth): z.output<typeof TracesState> {
	return {
		kind: health.kind,
		state: health.state,
		delay_seconds: health.delaySeconds,
		pending_delete_bytes: health.pendingDeleteBytes,
		insert_interval_ms: health.insertIntervalMs,
		older_rows: health.olderRows,
	};
}

function toStorageNode(node: StorageNode): z.output<typeof StorageNodeWire> {
	const { lastError } = node;
	return {
		shard: node.shard,
		replica: node.replica,
		host: node.host,
		version: node.version,
		state: node.state,
		delay_seconds: node.delaySeconds,
		queue_size: node.queueSize,
		active_parts_max: node.activePartsMax,
		merges: node.merges,
		free_bytes: node.freeBytes,
		total_bytes: node.totalBytes,
		last_error: lastError === null ? null : { at: formatTime(lastError.atMicros), message: lastError.message },
	};
}
