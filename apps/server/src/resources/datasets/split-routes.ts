import { type Kysely, sql, type Transaction } from "kysely";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText, toJsonText } from "#http/json-values.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";
import { changeDataset } from "./change-dataset.ts";
import { cut } from "./cut-text.ts";
import { examplesOfVersion } from "./examples.ts";
import { livesIn } from "./lives-in.ts";
import { type DatasetRow, getDatasetByIdentifier } from "./queries.ts";
import { CreateSplitBody, DatasetSplit, UpdateSplitBody } from "./schemas.ts";
import type { SplitRow } from "./splits.ts";
import { addMembers, assertRoomForSplits, endMembers, type NewVersion, splitsByName } from "./version-writer.ts";

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
		async ({ params, query }) => {
			const fromId = decodeIdCursor("DatasetSplit", query.cursor);
			const dataset = await getDatasetByIdentifier(db.read, params.dataset_identifier);
			let select = splitsOf(db.read, dataset)
				.orderBy("dataset_splits.id", "desc")
				.limit(query.limit + 1);
			if (fromId !== undefined) select = select.where("dataset_splits.id", "<=", fromId);
			const page = pageById("DatasetSplit", await select.execute(), query.limit);
			return { data: page.items.map(toSplit), next_cursor: page.next_cursor };
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
		async ({ params, body, principal }, reply) => {
			const datasetId = await globalIdOf(db.read, params.dataset_identifier);
			const { result } = await changeDataset(
				context,
				{ datasetId, principal },
				async (transaction, version, dataset) => {
					const { id } = await insertSplit(transaction, version, body);
					const examples = await findExamples(transaction, dataset, body.example_ids ?? []);
					const pairs = examples.map((exampleId) => [id, exampleId] as const);
					await addMembers(transaction, version.versionId, pairs);
					const result = await getSplit(transaction, { ...dataset, latest_version: version.versionId }, id);
					return { counts: { created: 0, updated: pairs.length, deleted: 0 }, result };
				},
			);
			setEtag(reply, result);
			return reply.code(201).send({ data: toSplit(result) });
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
		async (request, reply) => {
			const { params, body, principal } = request;
			const id = parseSplitId(params.split_id);
			const datasetId = await globalIdOf(db.read, params.dataset_identifier);
			const { result } = await changeDataset(
				context,
				{ datasetId, principal },
				async (transaction, version, dataset) => {
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
				},
			);
			setEtag(reply, result);
			return { data: toSplit(result) };
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
		async (request, reply) => {
			const { params, principal } = request;
			const id = parseSplitId(params.split_id);
			const datasetId = await globalIdOf(db.read, params.dataset_identifier);
			await changeDataset(context, { datasetId, principal }, async (transaction, version, dataset) => {
				const before = await getSplit(transaction, dataset, id);
				assertIfMatch(request, before);
				await transaction.updateTable("dataset_splits").set({ deleted_at: version.now }).where("id", "=", id).execute();
				const { numUpdatedRows } = await transaction
					.updateTable("dataset_split_examples")
					.set({ to_version: version.versionId })
					.where("split_id", "=", id)
					.where("to_version", "is", null)
					.executeTakeFirstOrThrow();
				return { counts: { created: 0, updated: Number(numUpdatedRows), deleted: 0 }, result: undefined };
			});
			return reply.code(204).send(null);
		},
	);
}

type CountedSplit = SplitRow & { readonly example_count: number };

/** The splits that live, with the number of examples in the newest version. */
function splitsOf(db: Kysely<Tables>, { id, latest_version }: Pick<DatasetRow, "id" | "latest_version">) {
	return db
		.selectFrom("dataset_splits")
		.selectAll("dataset_splits")
		.select(
			sql<number>`(
				select count(*) from dataset_split_examples as member
				where member.split_id = dataset_splits.id and ${livesIn("member", latest_version ?? 0)}
			)`.as("example_count"),
		)
		.where("dataset_splits.dataset_id", "=", id)
		.where("dataset_splits.deleted_at", "is", null);
}

async function getSplit(
	db: Kysely<Tables>,
	dataset: Pick<DatasetRow, "id" | "latest_version">,
	id: number,
): Promise<CountedSplit> {
	const row = await splitsOf(db, dataset).where("dataset_splits.id", "=", id).executeTakeFirst();
	if (row === undefined) throw notFound("split_not_found", "Dataset split not found");
	return row;
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

async function globalIdOf(db: Kysely<Tables>, identifier: string): Promise<string> {
	return encodeGlobalId("Dataset", (await getDatasetByIdentifier(db, identifier)).id);
}

function parseSplitId(text: string): number {
	const id = decodeGlobalId(text, "DatasetSplit");
	if (id === undefined) throw new UserError(422, "invalid_split_id", `Invalid dataset split ID: ${cut(text)}`);
	return id;
}

async function insertSplit(
	transaction: Transaction<Tables>,
	{ datasetId, now }: NewVersion,
	{ name, description, color, metadata }: z.output<typeof CreateSplitBody>,
): Promise<{ id: number }> {
	assertRoomForSplits((await splitsByName(transaction, datasetId)).size + 1, name);
	const row = await transaction
		.insertInto("dataset_splits")
		.values({
			dataset_id: datasetId,
			name,
			description: description ?? null,
			color,
			metadata: toJsonText(metadata ?? {}),
			created_at: now,
			updated_at: now,
		})
		.onConflict((conflict) => conflict.doNothing())
		.returning("id")
		.executeTakeFirst();
	if (row === undefined) throw splitExists(name);
	return row;
}

async function updateSplit(
	transaction: Transaction<Tables>,
	{ datasetId, now }: NewVersion,
	before: SplitRow,
	{ name, description, color, metadata }: z.output<typeof UpdateSplitBody>,
): Promise<void> {
	if (typeof name === "string" && name !== before.name) {
		const taken = await transaction
			.selectFrom("dataset_splits")
			.select("id")
			.where("dataset_id", "=", datasetId)
			.where("name", "=", name)
			.where("deleted_at", "is", null)
			.executeTakeFirst();
		if (taken !== undefined) throw splitExists(name);
	}
	await transaction
		.updateTable("dataset_splits")
		.set({
			name: name ?? before.name,
			description: description === undefined ? before.description : description,
			color: color ?? before.color,
			metadata: metadata === undefined || metadata === null ? before.metadata : toJsonText(metadata),
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("id", "=", before.id)
		.execute();
}

function splitExists(name: string): UserError {
	return new UserError(409, "split_exists", `A dataset split named '${cut(name)}' already exists`);
}

/** How many examples came or went. */
async function moveMembers(
	transaction: Transaction<Tables>,
	{ versionId }: NewVersion,
	splitId: number,
	{ added, removed }: { added: readonly number[]; removed: readonly number[] },
): Promise<number> {
	const members = await transaction
		.selectFrom("dataset_split_examples")
		.select("example_id")
		.where("split_id", "=", splitId)
		.where("to_version", "is", null)
		.where("example_id", "in", listed([...added, ...removed]))
		.execute();
	const present = new Set(members.map(({ example_id }) => example_id));
	const come = added.filter((id) => !present.has(id)).map((id) => [splitId, id] as const);
	const go = removed.filter((id) => present.has(id)).map((id) => [splitId, id] as const);
	await addMembers(transaction, versionId, come);
	await endMembers(transaction, versionId, go);
	return come.length + go.length;
}

/**
 * The row numbers of examples of the newest version, by global ids or the caller's own, each once.
 * @throws UserError 404 naming those that are not there
 */
async function findExamples(
	db: Kysely<Tables>,
	{ id, latest_version }: DatasetRow,
	identifiers: readonly string[],
): Promise<number[]> {
	if (identifiers.length === 0) return [];
	const wanted = identifiers.map((text) => ({ text, id: decodeGlobalId(text, "DatasetExample") }));
	const named = wanted.flatMap((item) => (item.id === undefined ? [] : [[item.id]]));
	const rows = await examplesOfVersion(db, { datasetId: id, versionId: latest_version ?? 0 })
		.clearSelect()
		.select(["example.id", "example.external_id"])
		.where(
			sql<boolean>`example.id in (
				select id from dataset_examples
				where dataset_id = ${id} and external_id in ${listed(identifiers)}
				union all
				select example_id from ${table("named", { example_id: "bigint" }, named)}
			)`,
		)
		.execute();
	const byId = new Set(rows.map((row) => row.id));
	const byExternalId = new Map(rows.map((row) => [row.external_id, row.id]));
	const found = new Set<number>();
	const missing: string[] = [];
	for (const { text, id: number } of wanted) {
		const example = number !== undefined && byId.has(number) ? number : byExternalId.get(text);
		if (example === undefined) missing.push(text);
		else found.add(example);
	}
	if (missing.length === 0) return [...found];
	throw notFound("example_not_found", `Dataset examples not found in this dataset: ${cut(missing.join(", "))}`);
}
