import type { Kysely } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { changeDataset } from "../change-dataset.ts";
import { cut } from "../cut-text.ts";
import { getDatasetByIdentifier } from "../queries.ts";
import { CreateSplitBody, DatasetSplit, UpdateSplitBody } from "../schemas.ts";
import { addMembers } from "../version-writer.ts";
import { findExamples, moveMembers } from "./members.ts";
import { type CountedSplit, deleteSplit, getSplit, insertSplit, listSplits, updateSplit } from "./queries.ts";

const OneSplit = z.object({ data: DatasetSplit });
const params = z.object({ dataset_identifier: z.string() });
const splitParams = params.extend({ split_id: z.string() });

/** Splits: named parts of a dataset, whose members belong to a version. */
export function splitRoutes(app: App, context: Context): void {
	const { db } = context;

	app.get(
		"/v1/datasets/:dataset_identifier/splits",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasetSplits",
				tags: ["datasets"],
				summary: "Page through the splits of a dataset, newest first",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(10) }),
				response: { 200: pageSchema(DatasetSplit).meta({ id: "DatasetSplitPage" }) },
			},
		},
		async ({ params, query, actor }) => {
			const dataset = await getDatasetByIdentifier(db.read, actor, params.dataset_identifier);
			return await pageOf("DatasetSplit", query, (part) => listSplits(db.read, dataset, part), toSplit);
		},
	);

	app.post(
		"/v1/datasets/:dataset_identifier/splits",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "createDatasetSplit",
				tags: ["datasets"],
				summary: "Create a split; with examples in it, this creates a new version",
				params,
				body: CreateSplitBody,
				response: { 201: OneSplit },
			},
		},
		async ({ params, body, actor }, reply) => {
			const datasetId = await globalIdOf(db.read, actor, params.dataset_identifier);
			const { result } = await changeDataset(context, { datasetId, actor }, async (transaction, version, dataset) => {
				const { id } = await insertSplit(transaction, version, body);
				const examples = await findExamples(transaction, dataset, body.example_ids ?? []);
				const pairs = examples.map((exampleId) => [id, exampleId] as const);
				await addMembers(transaction, version.versionId, pairs);
				const result = await getSplit(transaction, { ...dataset, latest_version: version.versionId }, id);
				return { counts: { created: 0, updated: pairs.length, deleted: 0 }, result };
			});
			setEtag(reply, result);
			return reply.code(201).send({ data: toSplit(result) });
		},
	);

	app.patch(
		"/v1/datasets/:dataset_identifier/splits/:split_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "updateDatasetSplit",
				tags: ["datasets"],
				summary: "Change a split, or which examples are in it, which creates a new version",
				params: splitParams,
				body: UpdateSplitBody,
				response: { 200: OneSplit },
			},
		},
		async (request, reply) => {
			const { params, body, actor } = request;
			const id = parseSplitId(params.split_id);
			const datasetId = await globalIdOf(db.read, actor, params.dataset_identifier);
			const { result } = await changeDataset(context, { datasetId, actor }, async (transaction, version, dataset) => {
				const before = await getSplit(transaction, dataset, id);
				assertIfMatch(request, before);
				await updateSplit(transaction, version, before, body);
				const removed = new Set(await findExamples(transaction, dataset, body.remove_example_ids ?? []));
				const added = (await findExamples(transaction, dataset, body.add_example_ids ?? [])).filter(
					(exampleId) => !removed.has(exampleId),
				);
				const updated = await moveMembers(transaction, version, id, { added, removed: [...removed] });
				const result = await getSplit(transaction, { ...dataset, latest_version: version.versionId }, id);
				return { counts: { created: 0, updated, deleted: 0 }, result };
			});
			setEtag(reply, result);
			return { data: toSplit(result) };
		},
	);

	app.delete(
		"/v1/datasets/:dataset_identifier/splits/:split_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deleteDatasetSplit",
				tags: ["datasets"],
				summary: "Delete a split; older versions keep it",
				params: splitParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { params, actor } = request;
			const id = parseSplitId(params.split_id);
			const datasetId = await globalIdOf(db.read, actor, params.dataset_identifier);
			await changeDataset(context, { datasetId, actor }, async (transaction, version, dataset) => {
				const before = await getSplit(transaction, dataset, id);
				assertIfMatch(request, before);
				const updated = await deleteSplit(transaction, version, id);
				return { counts: { created: 0, updated, deleted: 0 }, result: undefined };
			});
			return reply.code(204).send(null);
		},
	);
}

function toSplit(row: CountedSplit): z.output<typeof DatasetSplit> {
	return {
		id: encodeGlobalId("DatasetSplit", row.id),
		name: row.name,
		description: row.description,
		color: row.color,
		metadata: objectFromJsonText(row.metadata),
		example_count: row.example_count,
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}

async function globalIdOf(db: Kysely<Tables>, actor: Actor, identifier: string): Promise<string> {
	return encodeGlobalId("Dataset", (await getDatasetByIdentifier(db, actor, identifier)).id);
}

function parseSplitId(text: string): number {
	const id = decodeGlobalId(text, "DatasetSplit");
	if (id === undefined) throw new UserError(422, "invalid_split_id", `Invalid dataset split ID: ${cut(text)}`);
	return id;
}
