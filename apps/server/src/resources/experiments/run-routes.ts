import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor } from "#http/cursors.ts";
import { decodeGlobalId, encodeGlobalId, type IdType, isGlobalId } from "#http/global-ids.ts";
import { MAX_METADATA, toJsonText } from "#http/json-values.ts";
import { MAX_PAGE_BYTES } from "#http/page-size.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { arrayText, CHUNK, CHUNK_BYTES, streamOf, whileAllowed } from "#http/stream-array.ts";
import { orStreamed } from "#http/streamed-text.ts";
import { exampleNotFound, parseExampleId } from "../datasets/examples.ts";
import { evaluateArrived } from "../experiment-jobs/evaluate-arrived.ts";
import { upsertEvaluation } from "./evaluations.ts";
import { hasExample, toExperimentExample } from "./examples.ts";
import { listIncompleteExamples, listUnevaluatedRuns } from "./incomplete.ts";
import { experimentNotFound, getExperiment } from "./queries.ts";
import { enterRun, findRunOf, listRuns, runNotFound, toRun, upsertRun } from "./runs.ts";
import {
	CreatedId,
	CreateExperimentRunBody,
	ExperimentRunPage,
	IncompleteEvaluationPage,
	IncompleteEvaluationsQuery,
	IncompleteRunPage,
	ListRunsQuery,
	UpsertEvaluationBody,
} from "./schemas.ts";

const params = z.object({ experiment_id: z.string() });
const tags = ["experiments"];

type Metadata = z.output<typeof UpsertEvaluationBody>["metadata"];

export function runRoutes(app: App, { db, events, now }: Context): void {
	async function* allRuns(query: { experimentId: number; fromId: number | undefined }) {
		let fromId = query.fromId;
		do {
			const page = await listRuns(db.read, { ...query, fromId, limit: CHUNK, maxBytes: CHUNK_BYTES });
			yield page.rows.map(toRun);
			fromId = page.next;
		} while (fromId !== undefined);
	}

	app.get(
		"/v1/experiments/:experiment_id/runs",
		{
			config: { access: "read", home: "content" },
			exposeHeadRoute: false,
			schema: {
				operationId: "listExperimentRuns",
				tags,
				summary: "List runs of an experiment, newest first",
				params,
				querystring: ListRunsQuery,
				response: { 200: orStreamed(ExperimentRunPage) },
			},
		},
		async ({ params, query, actor }, reply) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const fromId = decodeIdCursor("ExperimentRun", query.cursor);
			const { limit } = query;
			const page = { experimentId: experiment.id, fromId };
			if (limit !== undefined) {
				const { rows, next } = await listRuns(db.read, { ...page, limit, maxBytes: MAX_PAGE_BYTES });
				return { data: rows.map(toRun), next_cursor: cursorOf("ExperimentRun", next) };
			}
			const mayContinue = () => actor.assertStillAllowed();
			return reply
				.type("application/json; charset=utf-8")
				.send(streamOf(wholePage(whileAllowed(allRuns(page), mayContinue))));
		},
	);

	app.post(
		"/v1/experiments/:experiment_id/runs",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "createExperimentRun",
				tags,
				summary: "Record one task run; retry replaces failed runs",
				params,
				body: CreateExperimentRunBody,
				response: { 200: CreatedId },
			},
		},
		async ({ params, body, actor }) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const exampleId = parseExampleId(body.dataset_example_id);
			if (body.repetition_number > experiment.repetitions) {
				const message = `repetition_number is above the experiment's ${experiment.repetitions} repetitions`;
				throw new UserError(422, "repetition_out_of_range", message);
			}
			if (!(await hasExample(db.read, experiment, exampleId))) throw exampleNotFound();
			const run = {
				experiment_id: experiment.id,
				example_id: exampleId,
				repetition_number: body.repetition_number,
				output: body.output,
				error: body.error ?? null,
				trace_id: body.trace_id ?? null,
				start_micros: body.start_time,
				end_micros: body.end_time,
				user_id: userOf(actor.principal)?.id ?? null,
			};
			const { id, isToEvaluate } = await actor.change(async (transaction) => {
				const id = await upsertRun(transaction, run);
				const isToEvaluate =
					id !== undefined && (await evaluateArrived(transaction, experiment, { ...run, id }, now()));
				return { id, isToEvaluate };
			});
			if (isToEvaluate) events.emit("experiment_job_asked");
			if (id !== undefined) return { data: { id: encodeGlobalId("ExperimentRun", id) } };
			const present = await findRunOf(db.read, run);
			if (present === undefined) throw experimentNotFound(params.experiment_id);
			const message = `Experiment run ${encodeGlobalId("ExperimentRun", present.id)} already exists with a successful result and cannot be updated`;
			throw new UserError(409, "run_exists", message);
		},
	);

	app.post(
		"/v1/experiment_evaluations",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "upsertExperimentEvaluation",
				tags,
				summary: "Insert or replace an evaluation of a run by name",
				body: UpsertEvaluationBody,
				response: { 200: CreatedId },
			},
		},
		async ({ body, actor }) => {
			const { result } = body;
			const runId = decodeGlobalId(body.experiment_run_id, "ExperimentRun");
			if (runId === undefined && isGlobalId(body.experiment_run_id)) throw runNotFound();
			if (runId === undefined) {
				throw new UserError(
					422,
					"invalid_run_id",
					`Invalid experiment run ID: ${body.experiment_run_id.slice(0, 200)}`,
				);
			}
			const evaluation = {
				run_id: runId,
				name: body.name,
				annotator_kind: body.annotator_kind,
				label: result?.label ?? null,
				score: result?.score ?? null,
				explanation: result?.explanation ?? null,
				error: body.error ?? null,
				metadata: mergedMetadata(body.metadata, result?.metadata),
				trace_id: body.trace_id ?? null,
				start_micros: body.start_time,
				end_micros: body.end_time,
			};
			if (!(await enterRun(db.read, actor, runId))) throw runNotFound();
			const id = await actor.change((transaction) => upsertEvaluation(transaction, evaluation));
			if (id === undefined) throw runNotFound();
			return { data: { id: encodeGlobalId("ExperimentEvaluation", id) } };
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/incomplete-runs",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getIncompleteExperimentRuns",
				tags,
				summary: "Examples with missing or failed repetitions",
				params,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(50) }),
				response: { 200: IncompleteRunPage },
			},
		},
		async ({ params, query, actor }) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const fromId = decodeIdCursor("DatasetExample", query.cursor);
			const { items, next } = await listIncompleteExamples(db.read, experiment, {
				fromId,
				limit: query.limit,
				maxBytes: MAX_PAGE_BYTES,
			});
			const data = items.map(({ example, repetitions }) => ({
				dataset_example: toExperimentExample(example),
				repetition_numbers: repetitions,
			}));
			return { data, next_cursor: cursorOf("DatasetExample", next) };
		},
	);

	app.get(
		"/v1/experiments/:experiment_id/incomplete-evaluations",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getIncompleteExperimentEvaluations",
				tags,
				summary: "Runs lacking successful evaluations by the given names",
				params,
				querystring: IncompleteEvaluationsQuery,
				response: { 200: IncompleteEvaluationPage },
			},
		},
		async ({ params, query, actor }) => {
			const experiment = await getExperiment(db.read, actor, params.experiment_id);
			const names = [...new Set(query.evaluation_name)];
			if (names.length === 0) {
				throw new UserError(400, "evaluation_name_missing", "At least one evaluation_name must be provided");
			}
			const fromId = decodeIdCursor("ExperimentRun", query.cursor);
			const { items, next } = await listUnevaluatedRuns(db.read, experiment, names, {
				fromId,
				limit: query.limit,
				maxBytes: MAX_PAGE_BYTES,
			});
			const data = items.map(({ run, example, names }) => ({
				experiment_run: toRun(run),
				dataset_example: toExperimentExample(example),
				evaluation_names: names,
			}));
			return { data, next_cursor: cursorOf("ExperimentRun", next) };
		},
	);
}

/** @throws UserError 422 when the merged metadata is too long */
function mergedMetadata(metadata: Metadata, ofResult: Metadata): string {
	const text = toJsonText({ ...metadata, ...ofResult });
	if (text.length > MAX_METADATA) {
		throw new UserError(422, "metadata_too_long", `metadata is longer than ${MAX_METADATA} characters of JSON`);
	}
	return text;
}

function cursorOf(type: IdType, next: number | undefined): string | null {
	return next === undefined ? null : encodeGlobalId(type, next);
}

/** The JSON of a page that contains the whole list. */
async function* wholePage(chunks: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
	yield '{"data":';
	yield* arrayText(chunks);
	yield ',"next_cursor":null}';
}
