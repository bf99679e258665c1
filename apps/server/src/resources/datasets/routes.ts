import type { Kysely } from "kysely";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { toJsonText } from "#http/json-values.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import type { Tables } from "#storage/schema.ts";
import { findMove, getListedHome, homeParam, noteMove } from "../projects/homes.ts";
import { moveRunItems } from "../review-queues/run-items.ts";
import { BUSY, isBusy, whenFree } from "./change-dataset.ts";
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
	const { auth, db, now } = context;

	app.get(
		"/v1/datasets",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasets",
				tags: ["datasets"],
				summary: "Page through datasets, newest first",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(10),
					name: textParam.optional().describe("Exact."),
					project: homeParam,
				}),
				response: { 200: pageSchema(Dataset).meta({ id: "DatasetPage" }) },
			},
		},
		async ({ query, actor }) => {
			const home = await getListedHome(db.read, actor, query.project);
			const list = (part: { fromId: number | undefined; limit: number }) =>
				listDatasets(db.read, actor.rights, { ...part, name: query.name, home });
			return await pageOf("Dataset", query, list, toDataset);
		},
	);

	app.get(
		"/v1/datasets/:id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getDataset",
				tags: ["datasets"],
				summary: "Fetch a dataset",
				params,
				response: { 200: OneDataset },
			},
		},
		async ({ params, actor }, reply) => {
			const row = await getDataset(db.read, actor, params.id);
			setEtag(reply, row);
			return { data: toDataset(row) };
		},
	);

	app.patch(
		"/v1/datasets/:id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "updateDataset",
				tags: ["datasets"],
				summary: "Change a dataset's name, description or metadata, or move it to another project",
				params,
				body: UpdateDatasetBody,
				response: { 200: OneDataset },
			},
		},
		async (request, reply) => {
			const { params, body, actor } = request;
			const { project_id: from } = await getDataset(db.read, actor, params.id);
			const move = await findMove(context, actor, { from, project: body.project });
			const updated = await whenFree(() =>
				actor.change(async (transaction) => {
					const before = await getDataset(transaction, actor, params.id);
					assertIfMatch(request, before);
					// Who uploads to it was let into the home where it is.
					if (move !== undefined && (await isBusy(transaction, before.id))) return BUSY;
					const { name, description, metadata } = body;
					if (name !== undefined && name !== before.name) await assertNameFree(transaction, name);
					await transaction
						.updateTable("datasets")
						.set({
							...(name === undefined ? {} : { name }),
							...(description === undefined ? {} : { description }),
							...(metadata === undefined ? {} : { metadata: toJsonText(metadata) }),
							...(move === undefined ? {} : { project_id: move.to }),
							updated_at: Math.max(now(), before.updated_at + 1),
						})
						.where("id", "=", before.id)
						.execute();
					if (move !== undefined) {
						const target = { type: "dataset", id: before.id, name: before.name } as const;
						const isAllowed = body.allow_wider_access;
						const about = { projectId: before.project_id, isAllowed, target, request };
						await noteMove(transaction, context, actor, move, about);
						await moveRunItems(transaction, before.id, move.to);
					}
					return await getDataset(transaction, actor, params.id);
				}),
			);
			if (move !== undefined) auth.rights.invalidate();
			setEtag(reply, updated);
			return { data: toDataset(updated) };
		},
	);

	app.delete(
		"/v1/datasets/:id",
		{
			config: { access: "write", home: "content" },
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
			const find = async (db: Kysely<Tables>) => {
				const dataset = await findDataset(db, actor, rowId);
				if (dataset === undefined) throw datasetNotFound("Dataset does not exist");
				return dataset;
			};
			await find(db.read);
			const id = await actor.change(async (transaction) => {
				const dataset = await find(transaction);
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
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasetVersionsByDatasetId",
				tags: ["datasets"],
				summary: "Page through the versions of a dataset, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(10) }),
				response: { 200: pageSchema(DatasetVersion).meta({ id: "DatasetVersionPage" }) },
			},
		},
		async ({ params, query, actor }) => {
			const dataset = await getDataset(db.read, actor, params.id);
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
