import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { cancelRecomputation, getRecomputation, insertRecomputation, listRecomputations } from "./recomputations.ts";
import { CostRecomputation, CreateCostRecomputationBody } from "./schemas.ts";
import { toCostRecomputation } from "./to-cost-recomputation.ts";

const OneRecomputation = z.object({ data: CostRecomputation });
const projectParams = z.object({ project_identifier: z.string() });
const params = z.object({ recomputation_id: z.string() });
const tags = ["prices"];

/** Recomputations of the costs of stored spans, by the current prices. */
export function recomputationRoutes(app: App, { db, events, now }: Context): void {
	app.post(
		"/v1/projects/:project_identifier/cost_recomputations",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "createCostRecomputation",
				tags,
				summary: "Recompute the costs of a project's spans with the current prices",
				description: "Runs in the background. Costs that applications sent stay as they are.",
				params: projectParams,
				body: CreateCostRecomputationBody.nullish(),
				response: { 202: OneRecomputation },
			},
		},
		async ({ params, body, actor, principal }, reply) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const startMicros = body?.start_time ?? undefined;
			const endMicros = body?.end_time ?? undefined;
			if (startMicros !== undefined && endMicros !== undefined && startMicros >= endMicros) {
				throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
			}
			if (startMicros !== undefined && endMicros !== undefined && startMicros >= endMicros) {
				throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
			}
			const spans = await actor.traces.countSpans({
				projectId: project.id,
				...(startMicros === undefined ? {} : { startMicros }),
				...(endMicros === undefined ? {} : { endMicros }),
			});
			const row = await actor.change(async (transaction) => {
				return await insertRecomputation(transaction, {
					project_id: project.id,
					start_micros: startMicros ?? null,
					end_micros: endMicros ?? null,
					last_span: spans.lastSpan,
					total_spans: spans.count,
					user_id: userOf(principal)?.id ?? null,
					now: now(),
				});
			});
			events.emit("cost_recomputation_asked");
			return reply.code(202).send({ data: toCostRecomputation(row) });
		},
	);

	app.get(
		"/v1/projects/:project_identifier/cost_recomputations",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listCostRecomputations",
				tags,
				summary: "Page through the recomputations of a project's costs, newest first",
				params: projectParams,
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(CostRecomputation).meta({ id: "CostRecomputationPage" }) },
			},
		},
		async ({ actor, params, query }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			return await pageOf(
				"CostRecomputation",
				query,
				(part) => listRecomputations(db.read, project.id, part),
				toCostRecomputation,
			);
		},
	);

	app.get(
		"/v1/cost_recomputations/:recomputation_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getCostRecomputation",
				tags,
				summary: "Progress of a recomputation of costs",
				params,
				response: { 200: OneRecomputation },
			},
		},
		async ({ actor, params }) => ({
			data: toCostRecomputation(await getRecomputation(db.read, actor, parseId(params.recomputation_id))),
		}),
	);

	app.delete(
		"/v1/cost_recomputations/:recomputation_id",
		{
			config: { access: "admin", home: "project" },
			schema: {
				operationId: "cancelCostRecomputation",
				tags,
				summary: "Cancel a recomputation of costs; changes made so far stay",
				params,
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			const id = parseId(params.recomputation_id);
			await actor.change(async (transaction) => {
				await getRecomputation(transaction, actor, id);
				await cancelRecomputation(transaction, id, now());
			});
			return reply.code(204).send(null);
		},
	);
}

/** @throws UserError 422 */
function parseId(text: string): number {
	const id = decodeGlobalId(text, "CostRecomputation");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_cost_recomputation_id", `Invalid cost recomputation id: ${text.slice(0, 100)}`);
}
