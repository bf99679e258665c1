import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { cut } from "../cut-text.ts";
import { getDatasetByIdentifier } from "../queries.ts";
import { CreateLabelBody, DatasetLabel, SetLabelsBody, UpdateLabelBody } from "../schemas.ts";
import {
	addLabel,
	deleteLabel,
	getLabel,
	insertLabel,
	type LabelRow,
	listLabels,
	listLabelsOf,
	removeLabel,
	setLabels,
	updateLabel,
} from "./queries.ts";

const OneLabel = z.object({ data: DatasetLabel });
const params = z.object({ label_id: z.string() });
const datasetParams = z.object({ dataset_identifier: z.string() });
const bothParams = datasetParams.extend(params.shape);

/** Labels, and which datasets have them. */
export function labelRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/dataset_labels",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "listDatasetLabels",
				tags: ["datasets"],
				summary: "Page through the labels of datasets, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(DatasetLabel).meta({ id: "DatasetLabelPage" }) },
			},
		},
		async ({ query }) => {
			return await pageOf("DatasetLabel", query, (part) => listLabels(db.read, part), toLabel);
		},
	);

	app.post(
		"/v1/dataset_labels",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "createDatasetLabel",
				tags: ["datasets"],
				summary: "Create a label for datasets",
				body: CreateLabelBody,
				response: { 201: OneLabel },
			},
		},
		async ({ body, actor }, reply) => {
			const { name, color } = body;
			const row = await actor.change(async (transaction) => {
				return await insertLabel(transaction, { name, color, description: body.description ?? null, now: now() });
			});
			setEtag(reply, row);
			return reply.code(201).send({ data: toLabel(row) });
		},
	);

	app.get(
		"/v1/dataset_labels/:label_id",
		{
			config: { access: "read", home: "shared_catalogue" },
			schema: {
				operationId: "getDatasetLabel",
				tags: ["datasets"],
				summary: "Fetch a label",
				params,
				response: { 200: OneLabel },
			},
		},
		async ({ params }, reply) => {
			const row = await getLabel(db.read, parseLabelId(params.label_id));
			setEtag(reply, row);
			return { data: toLabel(row) };
		},
	);

	app.patch(
		"/v1/dataset_labels/:label_id",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "updateDatasetLabel",
				tags: ["datasets"],
				summary: "Change a label",
				params,
				body: UpdateLabelBody,
				response: { 200: OneLabel },
			},
		},
		async (request, reply) => {
			const id = parseLabelId(request.params.label_id);
			const { name, color, description } = request.body;
			const isOnlyNulls = [name, color, description].every((value) => value === undefined || value === null);
			if (isOnlyNulls) throw new UserError(422, "nothing_to_update", "No fields to update");
			const row = await request.actor.change(async (transaction) => {
				const before = await getLabel(transaction, id);
				assertIfMatch(request, before);
				return await updateLabel(transaction, before, {
					name: name ?? before.name,
					color: color ?? before.color,
					description: description === undefined ? before.description : description,
					now: now(),
				});
			});
			setEtag(reply, row);
			return { data: toLabel(row) };
		},
	);

	app.delete(
		"/v1/dataset_labels/:label_id",
		{
			config: { access: "write", home: "shared_catalogue" },
			schema: {
				operationId: "deleteDatasetLabel",
				tags: ["datasets"],
				summary: "Delete a label everywhere",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const id = parseLabelId(request.params.label_id);
			await request.actor.change(async (transaction) => {
				assertIfMatch(request, await getLabel(transaction, id));
				await deleteLabel(transaction, id);
			});
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/datasets/:dataset_identifier/labels",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasetLabelsForDataset",
				tags: ["datasets"],
				summary: "The labels of a dataset",
				params: datasetParams,
				response: { 200: z.object({ data: z.array(DatasetLabel) }) },
			},
		},
		async ({ params, actor }) => {
			const dataset = await getDatasetByIdentifier(db.read, actor, params.dataset_identifier);
			return { data: (await listLabelsOf(db.read, dataset.id)).map(toLabel) };
		},
	);

	app.put(
		"/v1/datasets/:dataset_identifier/labels",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "setDatasetLabelsForDataset",
				tags: ["datasets"],
				summary: "Replace the labels of a dataset",
				params: datasetParams,
				body: SetLabelsBody,
				response: { 200: z.object({ data: z.array(DatasetLabel) }) },
			},
		},
		async ({ params, body, actor }) => {
			const ids = [...new Set(body.dataset_label_ids.map(parseLabelId))];
			await getDatasetByIdentifier(db.read, actor, params.dataset_identifier);
			const rows = await actor.change(async (transaction) => {
				const dataset = await getDatasetByIdentifier(transaction, actor, params.dataset_identifier);
				await setLabels(transaction, dataset.id, ids);
				return await listLabelsOf(transaction, dataset.id);
			});
			return { data: rows.map(toLabel) };
		},
	);

	app.put(
		"/v1/datasets/:dataset_identifier/labels/:label_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "addDatasetLabelToDataset",
				tags: ["datasets"],
				summary: "Give a dataset a label",
				params: bothParams,
				response: { 200: OneLabel },
			},
		},
		async ({ params, actor }) => {
			const id = parseLabelId(params.label_id);
			await getDatasetByIdentifier(db.read, actor, params.dataset_identifier);
			const row = await actor.change(async (transaction) => {
				const dataset = await getDatasetByIdentifier(transaction, actor, params.dataset_identifier);
				const label = await getLabel(transaction, id);
				await addLabel(transaction, dataset.id, id);
				return label;
			});
			return { data: toLabel(row) };
		},
	);

	app.delete(
		"/v1/datasets/:dataset_identifier/labels/:label_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "removeDatasetLabelFromDataset",
				tags: ["datasets"],
				summary: "Remove a label from a dataset",
				params: bothParams,
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			const id = parseLabelId(params.label_id);
			await getDatasetByIdentifier(db.read, actor, params.dataset_identifier);
			await actor.change(async (transaction) => {
				const dataset = await getDatasetByIdentifier(transaction, actor, params.dataset_identifier);
				await getLabel(transaction, id);
				await removeLabel(transaction, dataset.id, id);
			});
			return reply.code(204).send(null);
		},
	);
}

function toLabel({ id, name, description, color }: LabelRow): z.output<typeof DatasetLabel> {
	return { id: encodeGlobalId("DatasetLabel", id), name, description, color };
}

function parseLabelId(text: string): number {
	const id = decodeGlobalId(text, "DatasetLabel");
	if (id === undefined) throw new UserError(422, "invalid_label_id", `Invalid dataset label ID: ${cut(text)}`);
	return id;
}
