import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeIdCursor, pageById, pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { DEFAULT_CRON } from "./cron.ts";
import {
	DEFAULT_POLICY,
	getDefaultPolicy,
	getPolicy,
	insertPolicy,
	insertRuns,
	listPolicies,
	listRuns,
	nameTaken,
	type Policy,
	parsePolicyId,
	updatePolicy,
} from "./queries.ts";
import { CreateRetentionPolicyBody, RetentionPolicy, RetentionRun, UpdateRetentionPolicyBody } from "./schemas.ts";
import { toRetentionPolicy, toRetentionRun } from "./to-retention.ts";

const OnePolicy = z.object({ data: RetentionPolicy });
const params = z.object({ policy_id: z.string() });
const tags = ["retention"];

/** Retention policies and their runs. */
export function retentionPolicyRoutes(app: App, { config, db, events, now }: Context): void {
	app.get(
		"/v1/retention_policies",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "listRetentionPolicies",
				tags,
				summary: "Page through retention policies, the default one first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(RetentionPolicy).meta({ id: "RetentionPolicyPage" }) },
			},
		},
		async ({ actor, query }) => {
			const fromId = decodeIdCursor("ProjectTraceRetentionPolicy", query.cursor);
			const rows = await listPolicies(db.read, { limit: query.limit + 1, fromId }, actor.rights);
			const all = fromId === undefined ? [await getDefaultPolicy(db.read, config, actor.rights), ...rows] : rows;
			const page = pageById("ProjectTraceRetentionPolicy", all, query.limit);
			return { data: page.items.map((policy) => toRetentionPolicy(policy, now())), next_cursor: page.next_cursor };
		},
	);

	app.post(
		"/v1/retention_policies",
		{
			config: { access: "admin", home: "catalogue", whenFull: "allowed" },
			schema: {
				operationId: "createRetentionPolicy",
				tags,
				summary: "Create a retention policy",
				description:
					"A trace goes when either limit says so; its age counts from its start. With no limit everything is kept. Projects get the policy by PATCH /v1/projects/{project}/retention.",
				body: CreateRetentionPolicyBody,
				response: { 201: OnePolicy },
			},
		},
		async ({ body, actor }, reply) => {
			const created = await actor.change(async (transaction) => {
				return await insertPolicy(transaction, {
					name: body.name,
					cron: body.cron?.trim() ?? DEFAULT_CRON,
					max_days: body.max_days ?? null,
					max_traces: body.max_traces ?? null,
					keep_annotated: body.keep_annotated ?? false,
					now: now(),
				});
			});
			if (created === undefined) throw nameTaken(body.name);
			setPolicyEtag(reply, created);
			return reply.code(201).send({ data: toRetentionPolicy(created, now()) });
		},
	);

	app.get(
		"/v1/retention_policies/:policy_id",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getRetentionPolicy",
				tags,
				summary: "Fetch a retention policy",
				params,
				response: { 200: OnePolicy },
			},
		},
		async (request, reply) => {
			const policy = await getPolicy(db.read, config, request.params.policy_id, request.actor.rights);
			setPolicyEtag(reply, policy);
			return { data: toRetentionPolicy(policy, now()) };
		},
	);

	app.patch(
		"/v1/retention_policies/:policy_id",
		{
			config: { access: "admin", home: "catalogue", whenFull: "allowed" },
			schema: {
				operationId: "updateRetentionPolicy",
				tags,
				summary: "Change a retention policy; it is next due after the change",
				params,
				body: UpdateRetentionPolicyBody,
				response: { 200: OnePolicy },
			},
		},
		async (request, reply) => {
			const { body, actor } = request;
			refuseDefault(request.params.policy_id);
			const updated = await actor.change(async (transaction) => {
				const policy = await getPolicy(transaction, config, request.params.policy_id);
				assertIfMatch(request, { id: policy.id, updated_at: changedAt(policy) });
				const { name, cron, max_days, max_traces, keep_annotated } = body;
				return await updatePolicy(transaction, policy, {
					...(name === undefined ? {} : { name }),
					...(cron === undefined ? {} : { cron: cron.trim() }),
					...(max_days === undefined ? {} : { max_days }),
					...(max_traces === undefined ? {} : { max_traces }),
					...(keep_annotated === undefined ? {} : { keep_annotated: keep_annotated ? 1 : 0 }),
					updated_at: Math.max(now(), changedAt(policy) + 1),
				});
			});
			setPolicyEtag(reply, updated);
			return { data: toRetentionPolicy(updated, now()) };
		},
	);

	app.delete(
		"/v1/retention_policies/:policy_id",
		{
			config: { access: "admin", home: "catalogue" },
			schema: {
				operationId: "deleteRetentionPolicy",
				tags,
				summary: "Delete a retention policy; its projects get the default one",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			refuseDefault(request.params.policy_id);
			await request.actor.change(async (transaction) => {
				const policy = await getPolicy(transaction, config, request.params.policy_id);
				assertIfMatch(request, { id: policy.id, updated_at: changedAt(policy) });
				await transaction.deleteFrom("retention_policies").where("id", "=", policy.id).execute();
			});
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/retention_policies/:policy_id/run",
		{
			config: { access: "admin", home: "catalogue", whenFull: "allowed" },
			schema: {
				operationId: "runRetentionPolicy",
				tags,
				summary: "Delete now what a retention policy says, in each of its projects",
				description: "Answers at once with a run for each project; GET /v1/retention_runs says how they go.",
				params,
				response: { 202: z.object({ data: z.array(RetentionRun) }) },
			},
		},
		async ({ params, actor }, reply) => {
			const runs = await actor.change(async (transaction) => {
				const policy = await getPolicy(transaction, config, params.policy_id);
				if (policy.max_days === null && policy.max_traces === null) return [];
				return await insertRuns(transaction, policy.id, now());
			});
			events.emit("retention_run_asked");
			return reply.code(202).send({ data: runs.map(toRetentionRun) });
		},
	);

	app.get(
		"/v1/retention_runs",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listRetentionRuns",
				tags,
				summary: "Page through the runs of retention policies, newest first",
				description: "The last 10,000 runs are remembered.",
				querystring: z.object({
					cursor: cursorParam,
					limit: limitParam(100),
					project: textParam.optional().describe("Id or name of a project."),
					policy_id: textParam.optional(),
				}),
				response: { 200: pageSchema(RetentionRun).meta({ id: "RetentionRunPage" }) },
			},
		},
		async ({ actor, query }) => {
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			const policyId = query.policy_id === undefined ? undefined : parsePolicyId(query.policy_id);
			return await pageOf(
				"RetentionRun",
				query,
				(part) => listRuns(db.read, actor.rights, { ...part, projectId, policyId }),
				toRetentionRun,
			);
		},
	);
}

/** The default policy is a setting, which has no entity tag. */
function setPolicyEtag(reply: Parameters<typeof setEtag>[0], { id, created_at, updated_at }: Policy): void {
	if (created_at !== null && updated_at !== null) setEtag(reply, { id, updated_at });
}

function refuseDefault(policyId: string): void {
	if (parsePolicyId(policyId) !== DEFAULT_POLICY) return;
	throw new UserError(
		403,
		"default_retention_policy",
		"The default policy is set by SERVICE_DEFAULT_RETENTION_POLICY_DAYS and cannot be changed here",
	);
}

/** For any policy except the default one, which is refused before. */
function changedAt({ updated_at }: Policy): number {
	return present(updated_at, "when a retention policy was changed");
}
