import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { userOf } from "#http/principal.ts";
import { booleanParam } from "#http/query-params.ts";
import { toHome } from "#http/seen-homes.ts";
import { ALL_ROWS, sortedPage } from "#http/sorted-page.ts";
import { getDataset } from "../datasets/queries.ts";
import { findProject } from "../projects/queries.ts";
import { chooseExamples, createExperiment, unnamedExperiment } from "./create-experiment.ts";
import { deleteExperiment, keepRestricted } from "./delete-experiment.ts";
import { type ExperimentRow, getExperiment, listExperiments, updateExperiment } from "./queries.ts";
import {
	CreateExperimentBody,
	ExperimentPage,
	type ExperimentSort,
	ListAllExperimentsQuery,
	ListExperimentsQuery,
	OneExperiment,
	UpdateExperimentBody,
} from "./schemas.ts";
import { toExperiment } from "./to-experiment.ts";
import { type ExperimentTotals, findTotals } from "./totals.ts";

const params = z.object({ experiment_id: z.string() });
const ofDataset = z.object({ dataset_id: z.string() });
const tags = ["experiments"];

const SCORE = "score.";

function sortValue(sort: ExperimentSort, id: number, { runs, scores, cost, tokens }: ExperimentTotals): number | null {
	const count = runs.successful + runs.failed;
	switch (sort) {
		case "id":
			return id;
		case "average_latency_ms":
			return runs.averageLatencyMs;
		case "error_rate":
			return count === 0 ? null : runs.failed / count;
		case "total_cost":
			return cost;
		case "total_tokens":
			return tokens;
		default:
			return scores.get(sort.slice(SCORE.length))?.mean ?? null;
	}
}

export function manageRoutes(app: App, { auth, db, now }: Context): void {
	async function one({ actor }: FastifyRequest, reply: FastifyReply, row: ExperimentRow) {
		const totalsOf = await findTotals(db.read, actor.traces, [row]);
		setEtag(reply, row);
		return { data: toExperiment(row, totalsOf(row.id)) };
	}

	async function page(actor: Actor, query: z.output<typeof ListExperimentsQuery>, datasetId: number | undefined) {
		if (query.sort !== "id" || query.order !== "desc") return await sorted(actor, query, datasetId);
		const fromId = decodeIdCursor("Experiment", query.cursor);
		const rows = await listExperiments(db.read, actor.rights, { datasetId, limit: query.limit + 1, fromId });
		const { items, next_cursor } = pageById("Experiment", rows, query.limit);
		const totalsOf = await findTotals(db.read, actor.traces, items);
		return { data: items.map((row) => toExperiment(row, totalsOf(row.id))), next_cursor };
	}

	/** Sorts by totals, for which it reads those of all experiments. */
	async function sorted(actor: Actor, query: z.output<typeof ListExperimentsQuery>, datasetId: number | undefined) {
		const rows = await listExperiments(db.read, actor.rights, { datasetId, limit: ALL_ROWS });
		const totalsOf = await findTotals(db.read, actor.traces, rows);
		const page = sortedPage(rows, ({ id }) => sortValue(query.sort, id, totalsOf(id)), query);
		return { data: page.items.map((row) => toExperiment(row, totalsOf(row.id))), next_cursor: page.next_cursor };
	}

	/** Deletes only the project that was made for the experiment, whatever the row names. */
	async function deleteOwnProject(actor: Actor, { project_id }: ExperimentRow): Promise<void> {
		if (project_id === null) return;
		const project = await findProject(db.read, project_id);
		if (project?.origin !== "experiment") return;
		await actor.changeTraces((changed) => changed.deleteProject(project_id));
	}

	app.get(
		"/v1/experiments",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listAllExperiments",
				tags,
				summary: "Page through the experiments of all datasets, newest first",
				querystring: ListAllExperimentsQuery,
				response: { 200: ExperimentPage },
			},
		},
		async ({ query, actor }) => {
			const dataset = query.dataset_id === undefined ? undefined : await getDataset(db.read, actor, query.dataset_id);
			return await page(actor, query, dataset?.id);
		},
	);

	app.get(
		"/v1/datasets/:dataset_id/experiments",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listExperiments",
				tags,
				summary: "Page through experiments of a dataset, newest first",
				params: ofDataset,
				querystring: ListExperimentsQuery,
				response: { 200: ExperimentPage },
			},
		},
		async ({ params, query, actor }) => page(actor, query, (await getDataset(db.read, actor, params.dataset_id)).id),
	);

	app.post(
		"/v1/datasets/:dataset_id/experiments",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "createExperiment",
				tags,
				summary: "Start an experiment on a dataset version",
				description:
					"Its examples are those of the version, or of its splits, at this moment; later changes to the dataset do not affect it.",
				params: ofDataset,
				body: CreateExperimentBody,
				response: { 200: OneExperiment },
			},
		},
		async (request, reply) => {
			const { params, body, actor, principal } = request;
			const dataset = await getDataset(db.read, actor, params.dataset_id);
			const examples = await chooseExamples(db.read, dataset, {
				versionId: body.version_id ?? undefined,
				splits: body.splits ?? undefined,
			});
			const experiment = {
				...examples,
				name: body.name ?? unnamedExperiment(dataset),
				description: body.description ?? null,
				repetitions: body.repetitions,
				metadata: body.metadata ?? "{}",
				user_id: userOf(principal)?.id ?? null,
				created_at: now(),
			};
			const row = await actor.change((transaction) => createExperiment(transaction, auth, actor, experiment));
			auth.rights.invalidate();
			return await one(request, reply, row);
		},
	);

	app.get(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getExperiment",
				tags,
				summary: "Fetch one experiment with run counts and scores",
				params,
				response: { 200: OneExperiment },
			},
		},
		async (request, reply) =>
			one(request, reply, await getExperiment(db.read, request.actor, request.params.experiment_id)),
	);

	app.patch(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "updateExperiment",
				tags,
				summary: "Edit experiment name, description or metadata",
				params,
				body: UpdateExperimentBody,
				response: { 200: OneExperiment },
			},
		},
		async (request, reply) => {
			const { name, description, metadata } = request.body;
			if (name === undefined && description === undefined && metadata === undefined) {
				throw new UserError(422, "nothing_to_change", "No fields to update");
			}
			const change = {
				...(name === undefined ? {} : { name }),
				...(description === undefined ? {} : { description }),
				...(metadata === undefined ? {} : { metadata }),
			};
			const { actor } = request;
			await getExperiment(db.read, actor, request.params.experiment_id);
			const row = await actor.change(async (transaction) => {
				const before = await getExperiment(transaction, actor, request.params.experiment_id);
				assertIfMatch(request, before);
				return await updateExperiment(transaction, before, change, now());
			});
			return await one(request, reply, row);
		},
	);

	app.delete(
		"/v1/experiments/:experiment_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "deleteExperiment",
				tags,
				summary: "Delete an experiment, optionally its trace project",
				params,
				querystring: z.object({ delete_project: booleanParam.default(false) }),
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor } = request;
			await getExperiment(db.read, actor, request.params.experiment_id);
			const experiment = await actor.change(async (transaction, principal) => {
				const row = await getExperiment(transaction, actor, request.params.experiment_id);
				assertIfMatch(request, row);
				const state = await auth.rights.stateIn(transaction);
				if (state.restricted.has(toHome(row.home)) && !request.query.delete_project) {
					const created = { created_at: now(), created_by: userOf(principal)?.id ?? null };
					await keepRestricted(transaction, row, { state, created });
				}
				return row;
			});
			// The project first: once the experiment is deleted, nothing says that the project belonged to it.
			if (request.query.delete_project) await deleteOwnProject(actor, experiment);
			await deleteExperiment((work) => actor.change(work), experiment.id);
			auth.rights.invalidate();
			return reply.code(204).send(null);
		},
	);
}
