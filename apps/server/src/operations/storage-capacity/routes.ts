import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { capacitySettings } from "./storage-capacity.ts";

const percentage = z.number().nullable();

const StorageState = z
	.object({
		used_bytes: z.int().describe("What the database contains, without the space that deletions have freed."),
		capacity_bytes: z.int().nullable().describe("Null where no capacity is set."),
		used_percentage: percentage,
		warning_threshold_percentage: percentage,
		blocking_threshold_percentage: percentage,
		state: z.enum(["unlimited", "ok", "warning", "blocked"]).describe("`blocked`: nothing new is stored."),
		measured_at: wireTime,
	})
	.meta({ id: "StorageState" });

/** How full the storage is. */
export function storageRoutes(app: App, { capacity, config }: Context): void {
	app.get(
		"/v1/storage",
		{
			config: { access: "read" },
			schema: {
				operationId: "getStorage",
				tags: ["storage"],
				summary: "How full the storage is, and whether anything new can be stored",
				response: { 200: z.object({ data: StorageState }) },
			},
		},
		async () => {
			const usage = await capacity.measure();
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
				},
			};
		},
	);
}
