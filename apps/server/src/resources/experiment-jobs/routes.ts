import type { FastifyReply } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { STORAGE_FULL } from "#http/error-wire.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { toNanos } from "#models/ledger/money.ts";
import { getDataset } from "../datasets/queries.ts";
import { getExperiment } from "../experiments/queries.ts";
import { changeJob, getJob, type JobRow, listJobs, UNFINISHED } from "./jobs.ts";
import {
	CreateExperimentJobBody,
	ExperimentJobPage,
	ListExperimentJobsQuery,
	OneEstimate,
	OneExperimentJob,
	UpdateExperimentJobBody,
} from "./schemas.ts";
import { jobStreamRoute } from "./stream-route.ts";
import { retryFailed, skipReady } from "./tasks.ts";
import { toJobs } from "./to-job.ts";

const params = z.object({ job_id: z.string() });
const tags = ["experiment_jobs"];

/**
 * Experiments that the server runs, and evaluations of experiments: durable jobs in the background. What makes them is loaded
 * with the first one.
 */
export function experimentJobRoutes(app: App, context: Context): void {
	const { auth, capacity, db, events, now } = context;

	async function one(reply: FastifyReply, row: JobRow) {
		setEtag(reply, row);
		return { data: present((await toJobs(db.read, [row], now()))[0], "the job") };
	}

	app.post(
		"/v1/experiment_jobs",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "createExperimentJob",
				tags,
				summary: "Run variants over a dataset, or evaluate an experiment, in the background",
				description:
					"A job goes on after restarts; what is recorded is never done again. Ask `POST /v1/experiment_jobs/estimate` first what it costs.",
				body: CreateExperimentJobBody,
				response: { 202: OneExperimentJob },
			},
		},
		async (request, reply) => {
			const { actor, body, principal } = request;
			if (capacity.isBlocked) throw new UserError(507, "storage_full", STORAGE_FULL);
			const { insertJob, planJob } = await import("./create-job.ts");
			const planned = await planJob(context, actor, body);
			const maxCostUsd = body.max_cost_usd ?? null;
			const row = await actor.change(async (transaction) => {
				const job = await insertJob(transaction, planned, { actor, maxCostUsd, now: now() });
				await auth.audit.recordIn(transaction, {
					...{ action: "experiment_job.start", outcome: "success", principal, request },
					target: { type: "experiment_job", id: job.id, name: job.name },
					details: { kind: job.kind, runs: job.total_runs, max_cost_usd: maxCostUsd },
				});
				return job;
			});
			auth.rights.invalidate();
			events.emit("experiment_job_asked");
			reply.code(202);
			return await one(reply, row);
		},
	);

	app.post(
		"/v1/experiment_jobs/estimate",
		{
			config: { access: "write", home: "content", body: "large" },
			schema: {
				operationId: "estimateExperimentJob",
				tags,
				summary: "What a job would cost and how long it would take; calls nothing and stores nothing",
				body: CreateExperimentJobBody,
				response: { 200: OneEstimate },
			},
		},
		async ({ actor, body }) => {
			const { planJob } = await import("./create-job.ts");
			const { estimateJob } = await import("./estimate-job.ts");
			return { data: await estimateJob(context, await planJob(context, actor, body)) };
		},
	);

	app.get(
		"/v1/experiment_jobs",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "listExperimentJobs",
				tags,
				summary: "Page through experiment jobs, newest first",
				querystring: ListExperimentJobsQuery,
				response: { 200: ExperimentJobPage },
			},
		},
		async ({ actor, query }) => {
			const { dataset_id, experiment_id, state: states } = query;
			const datasetId = dataset_id === undefined ? undefined : (await getDataset(db.read, actor, dataset_id)).id;
			const experimentId =
				experiment_id === undefined ? undefined : (await getExperiment(db.read, actor, experiment_id)).id;
			const page = await pageOf(
				"ExperimentJob",
				query,
				(part) => listJobs(db.read, actor.rights, { ...part, datasetId, experimentId, states }),
				(row) => row,
			);
			return { data: await toJobs(db.read, page.data, now()), next_cursor: page.next_cursor };
		},
	);

	app.get(
		"/v1/experiment_jobs/:job_id",
		{
			config: { access: "read", home: "content" },
			schema: {
				operationId: "getExperimentJob",
				tags,
				summary: "Progress of an experiment job",
				params,
				response: { 200: OneExperimentJob },
			},
		},
		async ({ actor, params }, reply) => one(reply, await getJob(db.read, actor, params.job_id)),
	);

	jobStreamRoute(app, context);

	app.patch(
		"/v1/experiment_jobs/:job_id",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "updateExperimentJob",
				tags,
				summary: "Pause or resume a job, or change what it may cost",
				description: "Takes effect within two seconds. Calls under way while it is paused are ended and recorded.",
				params,
				body: UpdateExperimentJobBody,
				response: { 200: OneExperimentJob },
			},
		},
		async (request, reply) => {
			const { actor, body, params } = request;
			await getJob(db.read, actor, params.job_id);
			const row = await actor.change(async (transaction) => {
				const before = await getJob(transaction, actor, params.job_id);
				assertIfMatch(request, before);
				const changed = await changeJob(transaction, before.id, UNFINISHED, changeOf(body), now());
				if (changed === undefined) throw hasEnded(before);
				return changed;
			});
			events.emit("experiment_job_asked");
			return await one(reply, row);
		},
	);

	app.delete(
		"/v1/experiment_jobs/:job_id",
		{
			config: { access: "write", home: "content", whenFull: "allowed" },
			schema: {
				operationId: "cancelExperimentJob",
				tags,
				summary: "Cancel a job; what it has recorded stays",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await getJob(db.read, actor, params.job_id);
			await actor.change(async (transaction) => {
				const job = await getJob(transaction, actor, params.job_id);
				assertIfMatch(request, job);
				const change = { state: "cancelled", reason: null, error: null } as const;
				if ((await changeJob(transaction, job.id, UNFINISHED, change, now())) === undefined) return;
				await skipReady(transaction, job.id, "cancelled");
			});
			events.emit("experiment_job_asked");
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/experiment_jobs/:job_id/retry",
		{
			config: { access: "write", home: "content" },
			schema: {
				operationId: "retryExperimentJob",
				tags,
				summary: "Do again what failed, and nothing else; where nothing failed, the job stays as it is",
				params,
				response: { 202: OneExperimentJob },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await getJob(db.read, actor, params.job_id);
			const row = await actor.change(async (transaction) => {
				const job = await getJob(transaction, actor, params.job_id);
				assertIfMatch(request, job);
				if ((await retryFailed(transaction, job.id)) === 0) return job;
				const change = { state: "waiting", reason: null, error: null } as const;
				const states = [...UNFINISHED, "done"] as const;
				return present(await changeJob(transaction, job.id, states, change, now()), "the job");
			});
			events.emit("experiment_job_asked");
			reply.code(202);
			return await one(reply, row);
		},
	);
}

function changeOf({ state, max_cost_usd: most }: z.output<typeof UpdateExperimentJobBody>) {
	return {
		...(state === undefined ? {} : { state, reason: state === "paused" ? ("asked" as const) : null, error: null }),
		...(most === undefined ? {} : { max_cost_nanos: most === null ? null : toNanos(most) }),
	};
}

function hasEnded({ id, state }: JobRow): UserError {
	const message = `Job ${encodeGlobalId("ExperimentJob", id)} is ${state}: it can neither be paused nor resumed.`;
	return new UserError(409, "experiment_job_ended", message);
}
