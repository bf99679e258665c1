import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { pageSchema } from "../http/cursors.ts";
import { cursorParam, limitParam } from "../http/query-params.ts";
import { getDatasetByIdentifier } from "./queries.ts";
import { CreateSplitBody, DatasetSplit, UpdateSplitBody } from "./schemas.ts";

const OneSplit = z.object({ data: DatasetSplit });
const params = z.object({ dataset_identifier: z.string() });
const splitParams = params.extend({ split_id: z.string() });

/** Named parts of a dataset; what is in them belongs to the dataset's versions. */
export function splitRoutes(app: App, context: Context): void {
	const { db } = context;

	app.get(
		"/v1/datasets/:dataset_identifier/splits",
		{
			config: { access: "read" },
			schema: {
				operationId: "listDatasetSplits",
				tags: ["datasets"],
				summary: "Page through the splits of a dataset, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(10) }),
				response: { 200: pageSchema(DatasetSplit).meta({ id: "DatasetSplitPage" }) },
			},
		},
		async ({ params }) => {
			await getDatasetByIdentifier(db.read, params.dataset_identifier);
			throw new Error("to be written");
		},
	);

	app.post(
		"/v1/datasets/:dataset_identifier/splits",
		{
			config: { access: "write" },
			schema: {
				operationId: "createDatasetSplit",
				tags: ["datasets"],
				summary: "Create a split; with examples in it this makes a new version",
				params,
				body: CreateSplitBody,
				response: { 201: OneSplit },
			},
		},
		async ({ params }) => {
			await getDatasetByIdentifier(db.read, params.dataset_identifier);
			throw new Error("to be written");
		},
	);

	app.patch(
		"/v1/datasets/:dataset_identifier/splits/:split_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "updateDatasetSplit",
				tags: ["datasets"],
				summary: "Change a split, or which examples are in it, which makes a new version",
				params: splitParams,
				body: UpdateSplitBody,
				response: { 200: OneSplit },
			},
		},
		async ({ params }) => {
			await getDatasetByIdentifier(db.read, params.dataset_identifier);
			throw new Error("to be written");
		},
	);

	app.delete(
		"/v1/datasets/:dataset_identifier/splits/:split_id",
		{
			config: { access: "write" },
			schema: {
				operationId: "deleteDatasetSplit",
				tags: ["datasets"],
				summary: "Delete a split; older versions keep it",
				params: splitParams,
				response: { 204: z.null() },
			},
		},
		async ({ params }) => {
			await getDatasetByIdentifier(db.read, params.dataset_identifier);
			throw new Error("to be written");
		},
	);
}
