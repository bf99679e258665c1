import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { streamedText } from "../http/streamed-text.ts";
import { ExperimentRunRecord } from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

export function downloadRoutes(app: App, _context: Context): void {
	app.get(
		"/v1/experiments/:experiment_id/json",
		{
			config: { access: "read" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getExperimentJSON",
				tags,
				summary: "Download all runs with evaluations as JSON",
				params,
				response: { 200: z.array(ExperimentRunRecord) },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/csv",
		{
			config: { access: "read" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getExperimentCSV",
				tags,
				summary: "Download all runs with evaluations as CSV",
				params,
				response: { 200: { content: { "text/csv": { schema: streamedText } } } },
			},
		},
		async () => {
			throw new Error("not built");
		},
	);
}
