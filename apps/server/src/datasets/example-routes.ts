import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { pageSchema } from "../http/cursors.ts";
import { countParam, cursorParam, limitParam, repeated, textParam } from "../http/query-params.ts";
import { getDataset } from "./queries.ts";
import {
	ChangedVersion,
	DatasetExampleInSplits,
	DatasetExamples,
	ExampleRevision,
	FromSpansBody,
	UpdateExampleBody,
} from "./schemas.ts";

const OneExample = z.object({ data: DatasetExampleInSplits });
const exampleParams = z.object({ id: z.string(), example_id: z.string() });
const versionParam = textParam.optional().describe("The newest version when absent.");

/** The examples of a dataset, and single ones of them. */
export function exampleRoutes(app: App, context: Context): void {
	const { db } = context;

	app.get(
		"/v1/datasets/:id/examples",
		{
			config: { access: "read" },
			schema: {
				operationId: "getDatasetExamples",
				tags: ["datasets"],
				summary: "Examples of a version, those in any of the given splits",
				description: "All of them as one stream, or a page when `limit` or `cursor` is given.",
				params: z.object({ id: z.string() }),
				querystring: z.object({
					version_id: versionParam,
					split: repeated(textParam).describe("Id or name."),
					limit: countParam(1_000).optional(),
					cursor: cursorParam,
				}),
				response: { 200: DatasetExamples },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	app.get(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getDatasetExample",
				tags: ["datasets"],
				summary: "Fetch an example",
				params: exampleParams,
				querystring: z.object({ version_id: versionParam }),
				response: { 200: OneExample },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	app.patch(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "updateDatasetExample",
				tags: ["datasets"],
				summary: "Change an example's content or splits, which makes a new version",
				params: exampleParams,
				body: UpdateExampleBody,
				response: { 200: OneExample.extend({ version_id: z.string() }) },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	app.delete(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "deleteDatasetExample",
				tags: ["datasets"],
				summary: "Delete an example, which makes a new version; older ones keep it",
				params: exampleParams,
				response: { 204: z.null() },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	app.get(
		"/v1/datasets/:id/examples/:example_id/revisions",
		{
			config: { access: "read" },
			schema: {
				operationId: "listDatasetExampleRevisions",
				tags: ["datasets"],
				summary: "What an example contained, newest first",
				params: exampleParams,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(ExampleRevision).meta({ id: "DatasetExampleRevisionPage" }) },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);

	app.post(
		"/v1/datasets/:id/examples/from_spans",
		{
			config: { access: "write" },
			schema: {
				operationId: "createDatasetExamplesFromSpans",
				tags: ["datasets"],
				summary: "Make examples of spans: what went in, what came out, and what else they say",
				params: z.object({ id: z.string() }),
				body: FromSpansBody,
				response: { 200: z.object({ data: ChangedVersion }) },
			},
		},
		async ({ params }) => {
			await getDataset(db.read, params.id);
			throw new Error("to be written");
		},
	);
}
