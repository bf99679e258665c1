import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { ValidationError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { countParam, cursorParam, limitParam, repeated, searchParam, textParam } from "#http/query-params.ts";
import { toHome } from "#http/seen-homes.ts";
import { arrayText, streamOf } from "#http/stream-array.ts";
import { orStreamed } from "#http/streamed-text.ts";
import { homesOfProjects, movedMeanwhile, widenIn } from "../projects/homes.ts";
import { getProject } from "../projects/queries.ts";
import { changeDataset } from "./change-dataset.ts";
import { toContent } from "./content.ts";
import {
	type ExampleRow,
	exampleChunks,
	exampleMatcher,
	exampleNotFound,
	findExampleId,
	getExample,
	readExamples,
	searchExamples,
	stateOf,
	toExample,
	withSeenSources,
} from "./examples.ts";
import { getDataset, getVersion, type VersionRow } from "./queries.ts";
import { listRevisions, toRevision } from "./revisions.ts";
import {
	ChangedVersion,
	DatasetExampleInSplits,
	DatasetExamples,
	ExampleRevision,
	FromSpansBody,
	UpdateExampleBody,
} from "./schemas.ts";
import { examplesOfSpans, type SpanParts } from "./span-examples.ts";
import { putIntoSplits, splitsOfExamples } from "./splits/members.ts";
import { getSplits } from "./splits/queries.ts";
import { toChange } from "./to-dataset.ts";
import { endRevisions, insertExamples, insertRevisions } from "./version-writer.ts";

/** Of a dataset that has examples. */
const VERSION = "the version of a dataset";
const OneExample = z.object({ data: DatasetExampleInSplits });
const exampleParams = z.object({ id: z.string(), example_id: z.string() });
const versionParam = textParam.optional().describe("The newest version if absent.");
const MAX_PAGE = 1_000;

/** Lists of a dataset's examples, and single examples. */
export function exampleRoutes(app: App, context: Context): void {
	const { db } = context;

	async function inSplits(actor: Actor, rows: readonly ExampleRow[], version: VersionRow) {
		const namesOf = await splitsOfExamples(db.read, version.id, rows);
		return (await withSeenSources(actor, rows)).map((row) => ({ ...toExample(row), splits: namesOf(row.id) }));
	}

	async function one({ actor }: FastifyRequest, reply: FastifyReply, row: ExampleRow, version: VersionRow) {
		setEtag(reply, await stateOf(db.read, row, version.id));
		const [example] = await inSplits(actor, [row], version);
		return present(example, "an example");
	}

	async function* documentOf(
		actor: Actor,
		about: object,
		chunks: AsyncIterable<readonly ExampleRow[]>,
		version: VersionRow,
	) {
		yield `{"data":${JSON.stringify(about).slice(0, -1)},"examples":`;
		yield* arrayText(mapped(chunks, (rows) => inSplits(actor, rows, version)));
		yield "}}";
	}

	app.get(
		"/v1/datasets/:id/examples",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getDatasetExamples",
				tags: ["datasets"],
				summary: "Examples of a version, those in any of the given splits",
				description:
					"All of them as one stream, or a page when `limit` or `cursor` is given. With `q`, a page may hold fewer examples, even none, while `next_cursor` leads to more.",
				params: z.object({ id: z.string() }),
				querystring: z.object({
					version_id: versionParam,
					split: repeated(textParam).describe("Id or name."),
					q: searchParam.optional().describe("All words occur in the id, the input, the output or the metadata."),
					limit: countParam(MAX_PAGE).optional(),
					cursor: cursorParam,
				}),
				response: { 200: orStreamed(DatasetExamples) },
			},
		},
		async ({ params, query, actor }, reply) => {
			const fromId = decodeIdCursor("DatasetExample", query.cursor);
			const dataset = await getDataset(db.read, actor, params.id);
			const version = await getVersion(db.read, dataset.id, query.version_id);
			const splits =
				query.split === undefined
					? undefined
					: await getSplits(db.read, { datasetId: dataset.id, versionId: version.id }, query.split);
			const about = {
				dataset_id: encodeGlobalId("Dataset", dataset.id),
				version_id: encodeGlobalId("DatasetVersion", version.id),
				filtered_splits: splits?.map(({ name }) => name) ?? [],
			};
			const examplesQuery = {
				datasetId: dataset.id,
				versionId: version.id,
				splitIds: splits?.map(({ id }) => id),
			};
			const matches = query.q === undefined ? undefined : exampleMatcher(query.q);
			if (query.limit === undefined && fromId === undefined) {
				const mayContinue = () => actor.assertStillAllowed();
				const all = exampleChunks(db.read, examplesQuery, mayContinue);
				const chunks = matches === undefined ? all : mapped(all, async (rows) => rows.filter(matches));
				return reply.type("application/json; charset=utf-8").send(streamOf(documentOf(actor, about, chunks, version)));
			}
			const limit = query.limit ?? MAX_PAGE;
			const from = fromId ?? 0;
			const page =
				matches === undefined
					? await readExamples(db.read, examplesQuery, { from, limit })
					: await searchExamples(db.read, examplesQuery, { from, limit, matches });
			const examples = await inSplits(actor, page.rows, version);
			const next = page.next === undefined ? null : encodeGlobalId("DatasetExample", page.next.id);
			return { data: { ...about, examples }, next_cursor: next };
		},
	);

	app.get(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getDatasetExample",
				tags: ["datasets"],
				summary: "Fetch an example",
				params: exampleParams,
				querystring: z.object({ version_id: versionParam }),
				response: { 200: OneExample },
			},
		},
		async (request, reply) => {
			const { params, query, actor } = request;
			const dataset = await getDataset(db.read, actor, params.id);
			const exampleId = await findExampleId(db.read, dataset.id, params.example_id);
			const version = await getVersion(db.read, dataset.id, query.version_id);
			const row = await getExample(db.read, { datasetId: dataset.id, versionId: version.id }, exampleId);
			return { data: await one(request, reply, row, version) };
		},
	);

	app.patch(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "updateDatasetExample",
				tags: ["datasets"],
				summary: "Change an example's content or splits, which creates a new version",
				params: exampleParams,
				body: UpdateExampleBody,
				response: { 200: OneExample.extend({ version_id: z.string() }) },
			},
		},
		async (request, reply) => {
			const { params, body, actor } = request;
			const dataset = await getDataset(db.read, actor, params.id);
			const exampleId = await findExampleId(db.read, dataset.id, params.example_id);
			const changed = await changeDataset(
				context,
				{ datasetId: params.id, actor },
				async (transaction, version, { id, latest_version }) => {
					const before = await getExample(transaction, { datasetId: id, versionId: latest_version ?? 0 }, exampleId);
					assertIfMatch(request, await stateOf(transaction, before, latest_version ?? 0));
					const content = toContent(
						body.input ?? objectFromJsonText(before.input),
						body.output ?? objectFromJsonText(before.output),
						body.metadata ?? objectFromJsonText(before.metadata),
						"the example",
					);
					const isOther = content.hash !== Buffer.from(before.content_hash).toString("hex");
					if (isOther) {
						await endRevisions(transaction, version, [exampleId], { splitsToo: false });
						await insertRevisions(transaction, version, [{ exampleId, content }]);
					}
					const moved = await putIntoSplits(transaction, version, [exampleId], body.splits);
					const updated = isOther || moved.size > 0 ? 1 : 0;
					return { counts: { created: 0, updated, deleted: 0 }, result: undefined };
				},
			);
			const version = await getVersion(
				db.read,
				changed.dataset.id,
				encodeGlobalId("DatasetVersion", present(changed.versionId, VERSION)),
			);
			const row = await getExample(db.read, { datasetId: changed.dataset.id, versionId: version.id }, exampleId);
			return {
				data: await one(request, reply, row, version),
				version_id: encodeGlobalId("DatasetVersion", version.id),
			};
		},
	);

	app.delete(
		"/v1/datasets/:id/examples/:example_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deleteDatasetExample",
				tags: ["datasets"],
				summary: "Delete an example, which creates a new version; older versions keep it",
				params: exampleParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { params, actor } = request;
			const dataset = await getDataset(db.read, actor, params.id);
			const exampleId = await findExampleId(db.read, dataset.id, params.example_id);
			await changeDataset(
				context,
				{ datasetId: params.id, actor },
				async (transaction, version, { id, latest_version }) => {
					const before = await getExample(transaction, { datasetId: id, versionId: latest_version ?? 0 }, exampleId);
					assertIfMatch(request, await stateOf(transaction, before, latest_version ?? 0));
					await endRevisions(transaction, version, [exampleId], { splitsToo: true });
					return { counts: { created: 0, updated: 0, deleted: 1 }, result: undefined };
				},
			);
			return reply.code(204).send(null);
		},
	);

	app.get(
		"/v1/datasets/:id/examples/:example_id/revisions",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listDatasetExampleRevisions",
				tags: ["datasets"],
				summary: "An example's contents over time, newest first",
				params: exampleParams,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(ExampleRevision).meta({ id: "DatasetExampleRevisionPage" }) },
			},
		},
		async ({ params, query, actor }) => {
			const fromId = decodeIdCursor("DatasetExampleRevision", query.cursor);
			const dataset = await getDataset(db.read, actor, params.id);
			const exampleId = await findExampleId(db.read, dataset.id, params.example_id);
			const { items, next } = await listRevisions(db.read, dataset, {
				exampleId,
				fromId,
				limit: query.limit,
				maxBytes: MAX_PAGE_BYTES,
			});
			if (items.length === 0 && fromId === undefined) throw exampleNotFound();
			const next_cursor = next === undefined ? null : encodeGlobalId("DatasetExampleRevision", next);
			return { data: items.map(toRevision), next_cursor };
		},
	);

	app.post(
		"/v1/datasets/:id/examples/from_spans",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "createDatasetExamplesFromSpans",
				tags: ["datasets"],
				summary: "Create examples from spans: their input, output and metadata, or others",
				params: z.object({ id: z.string() }),
				body: FromSpansBody,
				response: { 200: z.object({ data: ChangedVersion }) },
			},
		},
		async (request) => {
			const { params, body, actor } = request;
			const { project_id: home } = await getDataset(db.read, actor, params.id);
			const project =
				typeof body.project === "string" ? await getProject(db.read, actor, body.project, "viewer") : undefined;
			const examples = await examplesOfSpans(actor, body.span_ids, project?.id, otherParts(body));
			const sources = await homesOfProjects(
				context,
				examples.map(({ span }) => span.projectId),
			);
			const widening = { from: sources, to: toHome(home), isAllowed: body.allow_wider_access };
			const { dataset, versionId, counts } = await changeDataset(
				context,
				{ datasetId: params.id, actor },
				async (transaction, version, { id, name, project_id }) => {
					if (project_id !== home) throw movedMeanwhile();
					const about = { action: "from_spans", target: { type: "dataset", id, name }, request } as const;
					await widenIn(transaction, context, actor, widening, about);
					const ids = await insertExamples(actor.traces, transaction, version, examples);
					await putIntoSplits(transaction, version, ids, body.splits ?? undefined);
					return { counts: { created: ids.length, updated: 0, deleted: 0 }, result: undefined };
				},
			);
			return { data: toChange(dataset.id, present(versionId, VERSION), counts) };
		},
	);
}

/** What a request sets in place of what the span gives. @throws ValidationError for several spans */
function otherParts({ span_ids, input, output, metadata }: z.output<typeof FromSpansBody>): Partial<SpanParts> {
	const given = Object.entries({ input, output, metadata }).filter(([, value]) => value !== undefined);
	if (span_ids.length > 1 && given.length > 0) {
		const msg = "Only the example of one span can be given another content";
		throw new ValidationError(given.map(([part]) => ({ type: "several_spans", loc: ["body", part], msg })));
	}
	return Object.fromEntries(given);
}

async function* mapped<T, U>(chunks: AsyncIterable<T>, map: (chunk: T) => Promise<U>): AsyncGenerator<U> {
	for await (const chunk of chunks) yield await map(chunk);
}
