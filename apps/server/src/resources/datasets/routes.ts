import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { toJsonText } from "#http/json-values.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import { downloadRoutes } from "./download-routes.ts";
import { exampleRoutes } from "./example-routes.ts";
import { labelRoutes } from "./labels/routes.ts";
import {
	assertNameFree,
	datasetNotFound,
	findDataset,
	getDataset,
	listDatasets,
	listVersions,
	parseDatasetId,
} from "./queries.ts";
import { Dataset, DatasetVersion, UpdateDatasetBody } from "./schemas.ts";
import { splitRoutes } from "./splits/routes.ts";
import { toDataset, toVersion } from "./to-dataset.ts";
import { deleteDataset, hideDataset, leaseOf } from "./unfinished.ts";
import { uploadRoutes } from "./upload/routes.ts";

const OneDataset = z.object({ data: Dataset });
const params = z.object({ id: z.string() });

/** Datasets: examples, versions, splits, labels, uploads and downloads. */
export function datasetRoutes(app: App, context: Context): void {
	const { db, now } = context;

	app.get(
		"/v1/datasets",
		{
			config: { access: "read" },
			schema: {
				operationId: "listDatasets",
				tags: ["datasets"],
				summary: "Page through datasets, newest first",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(10),
					name: textParam.optional().describe("Exact."),
				}),
				response: { 200: pageSchema(Dataset).meta({ id: "DatasetPage" }) },
			},
		},
		async ({ query }) => {
			return await pageOf("Dataset", query, (part) => listDatasets(db.read, { ...part, name: query.name }), toDataset);
		},
	);

	app.get(
		"/v1/datasets/:id",
		{
			config: { access: "read" },
			schema: {
				operationId: "getDataset",
				tags: ["datasets"],
				summary: "Fetch a dataset",
				params,
				response: { 200: OneDataset },
			},
		},
		async ({ params }, reply) => {
			const row = await getDataset(db.read, params.id);
			setEtag(reply, row);
			return { data: toDataset(row) };
		},
	);

	app.patch(
		"/v1/datasets/:id",
		{
			config: { access: "write" },
			schema: {
				operationId: "updateDataset",
				tags: ["datasets"],
				summary: "Change a dataset's name, description or metadata",
				params,
				body: UpdateDatasetBody,
				response: { 200: OneDataset },
			},
		},
		async (request, reply) => {
			const { params, body, actor } = request;
			await getDataset(db.read, params.id);
			const updated = await actor.change(async (transaction) => {
				const before = await getDataset(transaction, params.id);
				assertIfMatch(request, before);
				const { name, description, metadata } = body;
				if (name !== undefined && name !== before.name) await assertNameFree(transaction, name);
				await transaction
					.updateTable("datasets")
					.set({
						...(name === undefined ? {} : { name }),
						...(description === undefined ? {} : { description }),
						...(metadata === undefined ? {} : { metadata: toJsonText(metadata) }),
						updated_at: Math.max(now(), before.updated_at + 1),
					})
					.where("id", "=", before.id)
					.execute();
				return await getDataset(transaction, params.id);
			});
			setEtag(reply, updated);
			return { data: toDataset(updated) };
		},
	);

	app.delete(
		"/v1/datasets/:id",
		{
			config: { access: "write" },
			schema: {
				operationId: "deleteDatasetById",
				tags: ["datasets"],
				summary: "Delete a dataset with its experiments and their traces",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { params, actor } = request;
			const rowId = parseDatasetId(params.id);
			const id = await actor.change(async (transaction) => {
				const dataset = await findDataset(transaction, rowId);
				if (dataset === undefined) throw datasetNotFound("Dataset does not exist");
				assertIfMatch(request, dataset);
				await hideDataset(transaction, dataset.id);
				return dataset.id;
			});
			await context.cluster.withLease(leaseOf.deletion(id), () => deleteDataset(context, id));
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/datasets/:id/versions",
		{
			config: { access: "read" },
			schema: {
				operationId: "listDatasetVersionsByDatasetId",
				tags: ["datasets"],
				summary: "Page through the versions of a dataset, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(10) }),
				response: { 200: pageSchema(DatasetVersion).meta({ id: "DatasetVersionPage" }) },
			},
		},
		async ({ params, query }) => {
			const dataset = await getDataset(db.read, params.id);
			return await pageOf(
				"DatasetVersion",
				query,
				(part) => listVersions(db.read, { datasetId: dataset.id, ...part }),
				toVersion,
			);
		},
	);

	uploadRoutes(app, context);
	exampleRoutes(app, context);
	downloadRoutes(app, context);
	splitRoutes(app, context);
	labelRoutes(app, context);
}
