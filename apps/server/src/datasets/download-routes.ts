import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { booleanParam, textParam } from "../http/query-params.ts";
import { streamedText } from "../http/streamed-text.ts";
import { getDataset } from "./queries.ts";

const params = z.object({ id: z.string() });
const querystring = z.object({ version_id: textParam.optional().describe("The newest version when absent.") });

/** A version as a file. */
export function downloadRoutes(app: App, context: Context): void {
	const { db } = context;

	app.get(
		"/v1/datasets/:id/csv",
		{
			config: { access: "read" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getDatasetCsv",
				tags: ["datasets"],
				summary: "Download the examples as CSV",
				params,
				querystring: querystring.extend({
					escape_formulas: booleanParam
						.default(false)
						.describe("Put an apostrophe before what a spreadsheet would take for a formula."),
				}),
				response: { 200: { content: { "text/csv": { schema: streamedText } } } },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	for (const { path, operationId, summary } of JSON_LINES) {
		app.get(
			`/v1/datasets/:id/${path}`,
			{
				config: { access: "read" },
				exposeHeadRoute: false,
				schema: {
					operationId,
					tags: ["datasets"],
					summary,
					params,
					querystring,
					response: { 200: { content: { "text/plain": { schema: streamedText } } } },
				},
			},
			async ({ params }) => {
				await getDataset(db.read, params.id);
				throw new Error("to be written");
			},
		);
	}
}

const JSON_LINES = [
	{ path: "jsonl", operationId: "getDatasetJSONL", summary: "Download the examples, one JSON object a line" },
	{
		path: "jsonl/openai_ft",
		operationId: "getDatasetJSONLOpenAIFineTuning",
		summary: "Download the examples as OpenAI's fine-tuning takes them",
	},
	{
		path: "jsonl/openai_evals",
		operationId: "getDatasetJSONLOpenAIEvals",
		summary: "Download the examples as OpenAI's evals take them",
	},
] as const;
