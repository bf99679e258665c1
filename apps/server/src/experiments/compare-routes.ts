import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { CompareQuery, Comparison } from "./schemas.ts";

export function compareRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/datasets/:dataset_id/experiments/compare",
		{
			config: { access: "read" },
			schema: {
				operationId: "compareExperiments",
				tags: ["experiments"],
				summary: "Compare experiments example by example with a base, and metric by metric",
				params: z.object({ dataset_id: z.string() }),
				querystring: CompareQuery,
				response: { 200: Comparison },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
